import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TableError } from '../../../src/protocol/errors.js';
import type { Filter } from '../../../src/query/filter/filter.js';
import { KnownFilters } from '../../../src/query/filter/known-filters.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { printFilter } from '../../../src/query/filter/print-filter.js';
import { anyFilter } from '../../support/arbitrary/arbitrary-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Returns what a text is parsed to, or what it is rejected with. */
function outcome(parse: (text: string) => Filter | undefined, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    return { rejected: error.code, variant: error.variant };
  }
}

/** Expects of each text the outcome that it has without the texts before it. */
function expectSame(texts: readonly string[]): void {
  const known = new KnownFilters();
  for (const text of texts) expect(outcome((one) => known.parse(one), text)).toEqual(outcome(parseFilter, text));
}

/** Returns a text with other strings in the place of those between quotes. */
function withStrings(text: string, strings: readonly string[]): string {
  let at = 0;
  return text.replace(/'(?:[^']|'')*'/g, (all) => (strings.length > 0 ? `'${strings[at++ % strings.length]}'` : all));
}

describe('KnownFilters', () => {
  it('parses filters of one form as they are parsed alone', () => {
    const string = fc.oneof(fc.string(), fc.constantFrom('', "''", "a''b", "''''", ' ', '(', ') or ('));
    fc.assert(
      fc.property(anyFilter, fc.array(fc.array(string, { maxLength: 4 }), { maxLength: 4 }), (filter, others) => {
        const text = printFilter(filter);
        // A single quote would end the string, and doubled it is a quote of the string.
        const texts = others.map((strings) =>
          withStrings(
            text,
            strings.map((one) => one.replace(/'+/g, "''")),
          ),
        );
        expectSame([text, ...texts, text]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('parses or rejects any sequences of tokens as they are parsed alone', () => {
    const token = fc.constantFrom(
      ..."( ) and or not eq ge ' '' A X guid datetime null true 1 5L 'a' 'b' '' 'c''d' X'00' X'01' foo(".split(' '),
    );
    const text = fc.array(token, { maxLength: 9 }).map((tokens) => tokens.join(' '));
    fc.assert(fc.property(fc.array(text, { maxLength: 6 }), expectSame), { numRuns: runs(2000) });
  });

  it.each([
    [["A eq 'x'", "A eq 'y'", "A eq ''", "A eq 'O''Brien'"]],
    [["A eq 'x' and B lt 'y'", "A eq 'y' and B lt 'x'", "'x' eq A and B lt 'y'"]],
    [["A eq X'00'", "A eq X'0g'", "A eq 'x' and B eq X'00'", "A eq 'x' and B eq X'0g'"]],
    [["A gt datetime'2020-01-01T00:00:00Z'", "A gt datetime'1500-01-01T00:00:00Z'", "A gt datetime'never'"]],
    [["A eq 'x' or 'y'", "not (A eq 'x')", "not (A eq 'y')", "A eq 'x", "A eq 'x''", "A eq 'x' 'y'", "A eq 'x''' "]],
    [['', ' ', "'", "''", "'x'"]],
    [[`A eq '${'x'.repeat(40_000)}'`, `A eq '${'y'.repeat(40_000)}'`]],
  ])('parses %j as they are parsed alone', (texts) => expectSame([...texts, ...texts]));

  it('parses correctly after more forms than it keeps', () => {
    const texts = Array.from({ length: 600 }, (_, i) => `P${i} eq '${i}' and not (Q eq 'q')`);
    expectSame([...texts, ...texts.toReversed()]);
  });
});
