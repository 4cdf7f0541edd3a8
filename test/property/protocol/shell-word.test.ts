import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeCurl } from '../../../src/explorer/parts/programs.js';
import { shellWord } from '../../../src/protocol/shell-word.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Texts with everything that a shell reads. A word cannot contain NUL. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...`'"\`$();|&<>*?~#!\\{}[] \t\na-é%=`), minLength: 1 }),
  fc.string({ unit: 'grapheme', minLength: 1 }).map((any) => any.replaceAll('\0', '')),
  fc.constantFrom('$(exit 1)', "'; exit 1; '", '`exit 1`', '-n', '$HOME', 'a&b'),
);

/** Returns the words that a real shell gives to a command. */
function wordsOf(command: string, line: string): readonly string[] {
  // The line for curl asks this program for a signature.
  const own = "node() { :; }\ncut() { printf 'a=b'; }";
  const script = `${own}\n${command}() { printf '%s\\0' "$@"; }\n${line}`;
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe.skipIf(process.platform === 'win32')('A command line to copy', () => {
  it('has every text as one word', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 20, maxLength: 50 }), (texts) => {
        expect(wordsOf('words', `words ${texts.map(shellWord).join(' ')}`)).toEqual(texts);
      }),
      { numRuns: runs(20) },
    );
  });

  it('for curl has table, filter and names as words', () => {
    fc.assert(
      fc.property(text, text, fc.array(text, { minLength: 1, maxLength: 3 }), (table, filter, select) => {
        const query = { root: 'http://127.0.0.1:10002', account: 'a', table, filter, select };
        const words = wordsOf('curl', writeCurl(query));
        expect(words).toContain(`http://127.0.0.1:10002/a/${table}()?a=b`);
        expect(words).toContain(`$filter=${filter}`);
        expect(words).toContain(`$select=${select.join(',')}`);
        expect(words).toHaveLength(8);
      }),
      { numRuns: runs(20) },
    );
  });
});
