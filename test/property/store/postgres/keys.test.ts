import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin } from '../../../../src/query/plan/key-ranges.js';
import type { KeyCut, KeyRange } from '../../../../src/query/plan/plan.js';
import { encodeKey, encodeRange, isStorableName, type KeyBound } from '../../../../src/store/postgres/schema/keys.js';

const unit = fc.constantFrom('\0', '\u0001', 'A', 'a', 'z', '\u00ff', '\u0100', '\ud800', '\udc00', '\ue000', '\uffff');
const key = fc.string({ unit, maxLength: 3 });

const cut: fc.Arbitrary<KeyCut> = fc.oneof(
  fc.record({ partitionKey: key, side: fc.constantFrom('before' as const, 'after' as const) }),
  fc.record({ partitionKey: key, rowKey: key, side: fc.constantFrom('before' as const, 'after' as const) }),
);

const range: fc.Arbitrary<KeyRange> = fc.record({ from: cut, to: cut }, { requiredKeys: [] });

/** Compares as PostgreSQL compares `(pk, rk)`. */
function compare([pk, rk]: KeyBound, [otherPk, otherRk]: KeyBound): number {
  return Buffer.compare(pk, otherPk) || Buffer.compare(rk, otherRk);
}

describe('keys in the database', () => {
  it('sort by UTF-16 code unit', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(Math.sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('are between the places of a range if and only if they are within it', () => {
    fc.assert(
      fc.property(range, key, key, (within, partitionKey, rowKey) => {
        const place: KeyBound = [encodeKey(partitionKey), encodeKey(rowKey)];
        const { from, to } = encodeRange(within);
        const isBetween = compare(place, from) >= 0 && compare(place, to) < 0;
        expect(isBetween).toBe(isWithin(within, partitionKey, rowKey));
      }),
      { numRuns: 2000 },
    );
  });

  it('of the largest size are before the end of the table', () => {
    const largest = '\uffff'.repeat(512);
    const { to } = encodeRange({});
    expect(compare([encodeKey(largest), encodeKey(largest)], to)).toBeLessThan(0);
  });

  it('and names: a table cannot have a name that PostgreSQL does not keep', () => {
    expect(['Table', 'é', '😀'].map(isStorableName)).toEqual([true, true, true]);
    expect(['a\0b', 'a\ud800'].map(isStorableName)).toEqual([false, false]);
  });
});
