import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../clients/', import.meta.url));
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

const checks = [...read('checks.md').matchAll(/^\| `([a-z]+\.[a-z0-9-]+)` +\|/gm)].map(([, id = '']) => id);
const areas = [...new Set(checks.map((id) => id.split('.')[0]))].join('|');
const { keys, values, filters } = JSON.parse(read('cases.json'));

/** Sources of the suites, in every language. */
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter(
    (path) => /\.(?:py|go|mjs|java|rs|cpp|cs|sh)$/.test(path) && !/node_modules|\/(?:target|build|obj)\//.test(path),
  );

/** The ids that a source names in quotes. */
function idsIn(path: string): string[] {
  return [...read(path).matchAll(new RegExp(`["'\`]((?:${areas})\\.[a-z0-9-]+)["'\`]`, 'g'))].map(([, id = '']) => id);
}

describe('test/clients/checks.md', () => {
  it('lists every check once', () => {
    expect(checks.length).toBeGreaterThan(150);
    expect(checks.filter((id, at) => checks.indexOf(id) !== at)).toEqual([]);
  });

  it('has the checks of every case in cases.json, and no case is missing', () => {
    const cases = [...Object.keys(keys), ...Object.keys(values), ...Object.keys(filters)];
    expect(cases.filter((id) => !checks.includes(id))).toEqual([]);
    const byHand = ['filter.invalid', 'filter.select'];
    const ofCases = checks.filter((id) => /^(?:key|type|filter)\./.test(id) && !byHand.includes(id));
    expect(cases.sort()).toEqual(ofCases.sort());
  });

  it.each(sources)('has every check that %s names', (path) => {
    expect(idsIn(path).filter((id) => !checks.includes(id))).toEqual([]);
  });

  it('has no check that no suite names', () => {
    const named = new Set(sources.flatMap(idsIn));
    const cases = new Set([...Object.keys(keys), ...Object.keys(values), ...Object.keys(filters)]);
    expect(checks.filter((id) => !named.has(id) && !cases.has(id))).toEqual([]);
  });
});

describe('the lock files of the suites', () => {
  const locks = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /(?:\.lock|package-lock\.json|go\.sum|requirements-[\w-]+\.txt)$/.test(path) && !path.includes('node_modules'),
  );

  it.each(locks)('%s names no host of a registry', (path) => {
    const hosts = [...read(path).matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host);
    expect(hosts.filter((host) => /registry|proxy|pypi|maven|artifact/.test(host))).toEqual([]);
  });
});
