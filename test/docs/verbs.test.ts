import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allVerbs } from '../../src/verbs/registry.js';
import { sourceFolder } from '../support/source-tree.js';
import { writeCalls } from '../support/write-calls.js';
import { writeReference } from '../support/write-reference.js';

/** Returns `src/verbs/registry.ts`: every verb that a file of the folder declares. */
function writeRegistry(): string {
  const folder = join(sourceFolder, 'verbs');
  const declared = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^\w+\/[\w-]+\.ts$/.test(path))
    .sort()
    .flatMap((path) => {
      const [, name] =
        /^export const (\w+) = \w+\(\{\n {2}name: /m.exec(readFileSync(join(folder, path), 'utf8')) ?? [];
      return name === undefined ? [] : [{ name, path: path.replace('.ts', '.js') }];
    });
  return [
    ...declared.map(({ name, path }) => `import { ${name} } from './${path}';`),
    "import type { AnyVerb } from './verb.js';",
    '',
    '/** All verbs. `npm run reference` writes this list from the files of the folder. */',
    'export const allVerbs: readonly AnyVerb[] = [',
    ...declared.map(({ name }) => `  ${name},`),
    '];',
    '',
  ].join('\n');
}

/** Returns `src/client/rows.ts`: what the page needs of each verb. */
function writeRows(): string {
  const rows = allVerbs.map(({ name, http, words, lists }) => {
    const parts = [`name: '${name}'`, `http: '${http}'`];
    if (words) parts.push(`words: [${words.map((word) => `'${word}'`).join(', ')}]`);
    if (lists !== undefined) parts.push(`lists: '${lists}'`);
    return `  { ${parts.join(', ')} },`;
  });
  return [
    "import type { VerbRow } from '../verbs/verb-row.js';",
    '',
    '/** All verbs, for clients that load none of them. `npm run reference` writes this list. */',
    'export const rows: readonly VerbRow[] = [',
    ...rows,
    '];',
    '',
  ].join('\n');
}

// `npm run reference` writes these files again.
describe('What is written from the verbs', () => {
  it('is the list of all verbs', async () => {
    await expect(writeRegistry()).toMatchFileSnapshot('../../src/verbs/registry.ts');
  });

  it('is what the page needs of each verb', async () => {
    await expect(writeRows()).toMatchFileSnapshot('../../src/client/rows.ts');
  });

  it('is the reference', async () => {
    await expect(writeReference()).toMatchFileSnapshot('../../docs/verbs.md');
  });

  it('is the methods of the library, with the types of their answers', async () => {
    await expect(writeCalls()).toMatchFileSnapshot('../../src/client/calls.ts');
  });
});
