import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../../src/dialects/storage/error-catalogue.js';
import { SyntaxError as FilterSyntaxError, parse } from '../../../src/generated/filter.js';
import { TableError } from '../../../src/protocol/errors.js';
import { isTooDeep, parseFilter } from '../../../src/query/filter/parse-filter.js';
import { printFilter } from '../../../src/query/filter/print-filter.js';
import { anyFilter } from '../../support/arbitrary/arbitrary-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Parses a filter, or expects the error of the service; any other error is thrown. */
function parseOrReject(text: string): void {
  try {
    parseFilter(text);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    expect(errorCatalogue).toHaveProperty(error.code);
  }
}

/** A text that counts how many of its characters are read. It has the methods that the generated parser calls. */
class CountedText extends String {
  reads = 0;

  override charAt(at: number): string {
    this.reads++;
    return super.charAt(at);
  }

  override charCodeAt(at: number): number {
    this.reads++;
    return super.charCodeAt(at);
  }

  override codePointAt(at: number): number | undefined {
    this.reads++;
    return super.codePointAt(at);
  }

  override substr(from: number, length?: number): string {
    const part = super.substr(from, length);
    this.reads += part.length;
    return part;
  }

  override substring(from: number, to?: number): string {
    const part = super.substring(from, to);
    this.reads += part.length;
    return part;
  }
}

/** Parses the shape of a filter, or finds a syntax error, and returns how often a character was read on average. */
function readsPerCharacter(text: CountedText): number {
  try {
    parse(text as unknown as string);
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
  }
  return text.reads / text.length;
}

describe('parseFilter', () => {
  it('parses every printed filter back to the same tree', () => {
    fc.assert(
      fc.property(anyFilter, (filter) => {
        expect(parseFilter(printFilter(filter))).toEqual(filter);
      }),
      { numRuns: runs(500) },
    );
  });

  it('parses or rejects any string', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), parseOrReject), { numRuns: runs(1000) });
  });

  it('parses or rejects any sequence of tokens', () => {
    const token = fc.constantFrom(
      ..."( ) and or not eq ne gt ge lt le add mod - , . / ' '' A X guid datetime null true NaN INF 1 1.5 1e5 5L 5f".split(
        ' ',
      ),
      ...["'a'", "X'00'", "guid'0'", "datetime'2020-01-01'", 'startswith(', 'foo(', ' ', '#', '\ud800', '😀', '\0'],
    );
    const row = fc
      .tuple(fc.array(token, { maxLength: 20 }), fc.constantFrom('', ' '))
      .map(([all, gap]) => all.join(gap));
    fc.assert(fc.property(row, parseOrReject), { numRuns: runs(5000) });
  });

  // A mutation run leaves out these texts: they take most of its time, and the other tests find the same mutants.
  it
    .skipIf(process.env['MUTATED_MODULE'])
    .each([
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
    ])('reads each character of a text full of %o a few times', (piece) => {
    for (const start of ['', 'a eq ', '(', "a eq '"]) {
      for (const end of ['', 'a', ')', "'"]) {
        const text = new CountedText(start + piece.repeat(4096 / piece.length) + end);
        // The shape is read by the generated parser alone; the nesting is limited before, in one pass.
        if (!isTooDeep(text.toString())) expect(readsPerCharacter(text)).toBeLessThan(25);
        parseOrReject(text.toString());
      }
    }
  });
});
