import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeOrdered } from '../../../src/store/level/engine/key-encoding.js';
import { anyText } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Compares as engines do: by UTF-8 bytes. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Compares as the service does: by UTF-16 code units. */
const byUnits = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

describe('the UTF-8 order of encoded keys', () => {
  it('is UTF-16 code unit order, for every two strings', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(byBytes(encodeOrdered(a), encodeOrdered(b))).toBe(byUnits(a, b));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('holds where UTF-8 and UTF-16 disagree: U+10000 before U+E000', () => {
    const ascending = [
      '\ud7ff',
      '\ud800',
      '\ud800\udc00',
      '\udbff\udfff',
      '\udc00',
      '\udfff',
      '\ue000',
      '\uf7fe',
      '\uf7ff',
      '\uffff',
      '\uffff\uffff',
    ];
    expect(ascending).toEqual([...ascending].sort());
    for (const [at, text] of ascending.entries()) {
      for (const later of ascending.slice(at + 1)) {
        expect(byBytes(encodeOrdered(text), encodeOrdered(later))).toBe(-1);
      }
    }
  });

  it('is unchanged by UTF-8, even with lone surrogates', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(Buffer.from(encodeOrdered(text)).toString()).toBe(encodeOrdered(text));
      }),
    );
  });
});
