import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const workflow = readFileSync(`${root}.github/workflows/release.yaml`, 'utf8');

describe('The workflow of a release', () => {
  it('runs scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    const named = [...workflow.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(named).toContain('test:long');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('builds images of targets in the Dockerfile, for both processors', () => {
    const dockerfile = readFileSync(`${root}Dockerfile`, 'utf8');
    const targets = [...workflow.matchAll(/target: (\w+),/g)].map(([, name]) => name);
    expect(targets).toEqual(['tables', 'full']);
    for (const target of targets) expect(dockerfile).toContain(` AS ${target}\n`);
    expect(workflow).toContain('platforms: linux/amd64,linux/arm64');
  });

  it('builds binaries for systems for which the storage engine has an addon', () => {
    const prebuilds = readdirSync(`${root}node_modules/classic-level/prebuilds`);
    const systems = [...workflow.matchAll(/, name: (\w+)-(\w+) /g)].map(([, system = '', processor = '']) => {
      if (system === 'macos') return 'darwin-x64+arm64';
      return `${system === 'windows' ? 'win32' : system}-${processor}`;
    });
    expect(systems).toHaveLength(5);
    expect(systems.filter((system) => !prebuilds.includes(system))).toEqual([]);
  });
});
