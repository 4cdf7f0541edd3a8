import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { settingNames, variableOf } from '../../src/settings/settings.js';
import { readAddress } from '../../src/store/postgres/connection/database-address.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

describe.each(['docker/compose.cluster.yaml', 'docker/kubernetes/cluster.yaml'])('%s', (path) => {
  const text = read(path);

  it('uses variables and options that exist', () => {
    const variables = [...text.matchAll(/\bTABULARIUM_\w+/g)].map(([name]) => name);
    const options = [...text.matchAll(/(?<=[ [])--([a-z]+[A-Z]\w+)/g)].map(([, name = '']) => name);
    expect(variables).toContain('TABULARIUM_DATABASE');
    expect(variables.filter((name) => !settingNames.map(variableOf).includes(name))).toEqual([]);
    expect(options.filter((name) => !(settingNames as readonly string[]).includes(name))).toEqual([]);
  });

  it('has an address of the database without a password, which is another variable', () => {
    const [, url = ''] = /\bpostgres:\/\/(\S+)/.exec(text) ?? [];
    const written = `postgres://${url.replace(/\$\{\w+:-(\w+)\}/, '$1').replace(/[?&]sslrootcert=\S+/, '')}`;
    const { user, hosts, password } = readAddress({ url: written, schema: 'tabularium' });
    expect([user, hosts, password]).toEqual([
      'tabularium',
      [expect.objectContaining({ host: expect.any(String) })],
      undefined,
    ]);
    expect(text).toContain('PGPASSWORD');
  });

  it('asks the health endpoints', () => {
    expect(text).toContain('/_tabularium/health');
  });
});
