import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts'));

/** A test that a row names: the file without its ending, and the title as it is written in the file. */
interface NamedTest {
  readonly file: string;
  readonly title: string;
}

const page = readFileSync(join(root, 'docs/divergences.md'), 'utf8');
const rows = page
  .split(/^## /m)
  .filter((section) => /^\| .* \| Test \|$/m.test(section))
  .flatMap((section) =>
    section
      .split('\n')
      .filter((line) => /^\| (?!---)/.test(line))
      .slice(1),
  )
  .map((line) => {
    const cells = line.split(' | ');
    return { subject: cells[0]?.slice(2) ?? '', tests: namedTests(cells.at(-1) ?? '') };
  });

/** Reads a cell such as: `leniency`: "one title", "another". */
function namedTests(cell: string): NamedTest[] {
  return [...cell.matchAll(/`([\w-]+)`: ((?:"[^"]+"(?:, )?)+)/g)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
  );
}

/** Returns the titles of the tests in a file: the first argument of `it` and `it.each(…)`. */
function titlesIn(path: string): string[] {
  const text = readFileSync(join(root, 'test', path), 'utf8');
  return [...text.matchAll(/(?:\bit|\))\(\s*'([^']+)',\s*(?:async )?\(/g)].map(([, title = '']) => title);
}

function pathsOf(file: string): string[] {
  return testFiles.filter((path) => basename(path).replace(/(?:\.slow)?\.test\.ts$/, '') === file);
}

describe('docs/divergences.md', () => {
  it.each(rows)('names tests that exist: $subject', ({ tests }) => {
    expect(tests).not.toEqual([]);
    for (const { file, title } of tests)
      expect(pathsOf(file).flatMap(titlesIn), `the tests of ${file}`).toContain(title);
  });

  it('has a row for every test of test/divergences', () => {
    const named = rows.flatMap(({ tests }) => tests.map(({ file, title }) => `${file}: ${title}`));
    const there = testFiles
      .filter((path) => path.startsWith('divergences/'))
      .flatMap((path) => titlesIn(path).map((title) => `${basename(path, '.test.ts')}: ${title}`));
    expect(there.length).toBeGreaterThan(20);
    expect(there.filter((test) => !named.includes(test))).toEqual([]);
  });
});
