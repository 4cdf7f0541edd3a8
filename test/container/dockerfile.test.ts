import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

/** The paths that the Dockerfile copies from the repository. */
const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
  paths.split(' ').map((path) => path.replace(/\/?\*.*$/, '')),
);

describe('The Dockerfile', () => {
  it('copies only paths that exist and that .dockerignore lets through', () => {
    const allowed = read('.dockerignore').match(/(?<=^!).+$/gm) ?? [];
    expect(copied).not.toEqual([]);
    for (const path of copied) {
      expect(existsSync(`${root}${path}`), path).toBe(true);
      expect(
        allowed.some((one) => path === one || path.startsWith(`${one}/`)),
        path,
      ).toBe(true);
    }
  });

  it('contains the version of the package', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(read('Dockerfile')).toContain(`\nARG VERSION=${version}\n`);
  });

  it('uses a Debian version for which the storage engine has prebuilt binaries, on x64 and arm64', () => {
    for (const platform of ['linux-x64/classic-level.node', 'linux-arm64/classic-level.armv8.node']) {
      expect(existsSync(`${root}node_modules/classic-level/prebuilds/${platform}`), platform).toBe(true);
    }
    const bases = read('Dockerfile').match(/(?<=^FROM )\S+:\S+/gm) ?? [];
    for (const base of bases) expect(base).toMatch(/:(?:24-)?bookworm-slim$/);
  });
});
