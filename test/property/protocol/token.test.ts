import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readToken, type Token } from '../../../src/protocol/values/token.js';
import { printFilter } from '../../../src/query/filter/print-filter.js';
import { anyFilter } from '../../support/arbitrary/arbitrary-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Returns all tokens of a text, without its end. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let token = readToken(text, 0); token.kind !== 'end'; token = readToken(text, token.end)) tokens.push(token);
  return tokens;
}

describe('readToken', () => {
  it('reads every filter that the service accepts, with nothing but blanks between the tokens', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        const text = printFilter(filter);
        const tokens = tokensOf(text);
        expect(tokens.filter(({ kind }) => kind === 'unterminated' || kind === 'unknown')).toEqual([]);
        const strip = (part: string) => part.replace(/\s/g, '');
        expect(tokens.map((token) => strip(token.text)).join('')).toBe(strip(text));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('reads any text to its end, each character once', () => {
    const unit = fc.oneof(fc.constantFrom(...'\'x =,(9_.é\u{1f600}"'), fc.string({ unit: 'binary', maxLength: 1 }));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
        let end = 0;
        for (const token of tokensOf(text)) {
          expect(text.slice(end, token.at).trim()).toBe('');
          expect(text.slice(token.at, token.end)).toBe(token.text);
          expect(token.end).toBeGreaterThan(token.at);
          end = token.end;
        }
        expect(text.slice(end).trim()).toBe('');
      }),
      { numRuns: runs(2000) },
    );
  });

  it('reads a string back, with doubled quotes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("'", 'a', ' ') }),
        fc.constantFrom('', ' x', ','),
        (value, after) => {
          const string = `'${value.replaceAll("'", "''")}'`;
          expect(readToken(string + after, 0)).toEqual({ kind: 'string', text: string, at: 0, end: string.length });
        },
      ),
    );
  });
});
