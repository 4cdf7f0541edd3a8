import { describe, expect, it } from 'vitest';
import { allVerbs } from '../../src/verbs/registry.js';
import { writeCalls } from '../support/docs/write-calls.js';
import { writeReference } from '../support/docs/write-reference.js';

/** Returns `src/client/rows.ts`: what the page needs of each verb. */
function writeRows(): string {
  const rows = allVerbs.map(({ name, http, words, lists, sends, uploads }) => {
    const parts = [`name: '${name}'`, `http: '${http}'`];
    if (words) parts.push(`words: [${words.map((word) => `'${word}'`).join(', ')}]`);
    if (uploads) parts.push('uploads: true');
    if (sends) parts.push(`sends: '${sends}'`);
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
