import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../../src/dialects/storage/error-catalogue.js';
import { TableError } from '../../../src/protocol/errors.js';
import { urlBytesMax } from '../../../src/protocol/limits.js';
import { parseFilter } from '../../../src/query/parse-filter.js';
import { anyFilter } from '../../support/arbitrary-filter.js';
import { printFilter } from '../../support/print-filter.js';

/** Parses a filter, or expects the error of the service; any other error is thrown. */
function parseOrRefuse(text: string): void {
  try {
    parseFilter(text);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    expect(errorCatalogue).toHaveProperty(error.code);
  }
}

describe('parseFilter', () => {
  it('parses every printed filter back to the same tree', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        expect(parseFilter(printFilter(filter))).toEqual(filter);
      }),
      { numRuns: 500 },
    );
  });

  it('parses or refuses any string', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), parseOrRefuse), { numRuns: 1000 });
  });

  it('parses or refuses any sequence of tokens', () => {
    const token = fc.constantFrom(
      ..."( ) and or not eq ne gt ge lt le add mod - , . / ' '' A X guid datetime null true NaN INF 1 1.5 1e5 5L 5f".split(
        ' ',
      ),
      ...["'a'", "X'00'", "guid'0'", "datetime'2020-01-01'", 'startswith(', 'foo(', ' ', '#', '\ud800', '😀', '\0'],
    );
    const row = fc
      .tuple(fc.array(token, { maxLength: 20 }), fc.constantFrom('', ' '))
      .map(([all, gap]) => all.join(gap));
    fc.assert(fc.property(row, parseOrRefuse), { numRuns: 5000 });
  });

  it.each([
    '(',
    '((',
    ')',
    'not ',
    'not(',
    'not and(',
    'f(',
    '-',
    '- ',
    "'",
    "''",
    "X'",
    ' ',
    'a ',
    'a or ',
    'a and(',
    'a eq ',
    '1',
    '1.',
    '1e',
    '9',
    'é',
    '😀',
    'a,',
    'f(a,',
    'a eq 1 or ',
    "a eq 'x",
    'a add ',
    '(a eq ',
    'datetime',
    '\u0300',
  ])('parses a URL full of %o in linear time', (piece) => {
    for (const start of ['', 'a eq ', '(', "a eq '"]) {
      for (const end of ['', 'a', ')', "'"]) {
        const text = start + piece.repeat(urlBytesMax / piece.length) + end;
        const begun = performance.now();
        parseOrRefuse(text);
        // It usually takes about 10 ms. A parser that is not linear would take minutes.
        expect(performance.now() - begun).toBeLessThan(1000);
      }
    }
  });
});
