import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../dist/explorer/', import.meta.url));
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
  readonly first: readonly string[];
  readonly files: readonly { readonly name: string; readonly brotliBytes: number }[];
};

const sum = (files: typeof manifest.files) => files.reduce((bytes, { brotliBytes }) => bytes + brotliBytes, 0);

describe('The built page', () => {
  it('needs at most 40 KB to be shown, and 200 KB in all', () => {
    const first = manifest.files.filter(({ name }) => manifest.first.includes(name));
    expect(first).toHaveLength(manifest.first.length);
    expect(sum(first)).toBeLessThanOrEqual(40_000);
    expect(sum(manifest.files)).toBeLessThanOrEqual(200_000);
  });

  it('has the licenses of the packages in it', () => {
    const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES'), 'utf8');
    for (const name of ['preact', '@preact/signals']) expect(notices).toContain(`${name} `);
  });

  it('names no other server, but for namespaces and texts', () => {
    const allowed =
      /^https?:\/\/(?:www\.w3\.org\/|127\.0\.0\.1|localhost|host\.docker\.internal|learn\.microsoft\.com\/|\$\{)/;
    const named = manifest.files.flatMap(({ name }) => {
      const text = brotliDecompressSync(readFileSync(join(folder, `${name}.br`))).toString();
      return [...text.matchAll(/https?:\/\/[^'"`\s]+/g)].map(([url]) => url);
    });
    expect(named.filter((url) => !allowed.test(url))).toEqual([]);
  });
});
