import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntityKey } from '../../../../src/entity/stored/entity.js';
import type { KeyCut } from '../../../../src/query/plan/plan.js';
import { encodeEntityKey, encodeRange, entityPrefix } from '../../../../src/store/level/engine/key-encoding.js';
import { anyText, entityKey, nulFreeText } from '../../../support/arbitrary/arbitraries.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

const prefix = entityPrefix('account', '1');

/** Compares as LevelDB does: by UTF-8 bytes. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Compares as the service does: by UTF-16 code units. */
const byUnits = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

const byKeys = (a: EntityKey, b: EntityKey) => byUnits(a.partitionKey, b.partitionKey) || byUnits(a.rowKey, b.rowKey);

/** Checks whether a row is after a cut, by the definition of cuts. */
function isAfter(cut: KeyCut, key: EntityKey): boolean {
  if (key.partitionKey !== cut.partitionKey) return key.partitionKey > cut.partitionKey;
  if (cut.rowKey === undefined || key.rowKey === cut.rowKey) return cut.side === 'before';
  return key.rowKey > cut.rowKey;
}

const side = fc.constantFrom('before' as const, 'after' as const);

/** Generates cuts. Literals of a filter may contain characters that keys cannot, such as U+0000. */
const cutOf = (text: fc.Arbitrary<string>): fc.Arbitrary<KeyCut> =>
  fc.oneof(fc.record({ partitionKey: text, side }), fc.record({ partitionKey: text, rowKey: text, side }));

describe('the order of stored keys', () => {
  it('is (PartitionKey, RowKey) order, for every two entities of a table', () => {
    fc.assert(
      fc.property(entityKey, entityKey, (a, b) => {
        expect(byBytes(encodeEntityKey(prefix, a), encodeEntityKey(prefix, b))).toBe(byKeys(a, b));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('is unchanged by UTF-8, even with lone surrogates', () => {
    fc.assert(
      fc.property(entityKey, (key) => {
        const encoded = encodeEntityKey(prefix, key);
        expect(Buffer.from(encoded).toString()).toBe(encoded);
      }),
    );
  });

  it('separates the tables of all accounts', () => {
    fc.assert(
      fc.property(entityKey, (key) => {
        const stored = encodeEntityKey(entityPrefix('ab', '1'), key);
        for (const other of [entityPrefix('a', '1'), entityPrefix('abc', '1'), entityPrefix('ab', '11')]) {
          const { gte, lt } = encodeRange(other, {});
          expect(byBytes(stored, gte) >= 0 && byBytes(stored, lt) < 0).toBe(false);
        }
      }),
    );
  });
});

describe('the stored keys of a range', () => {
  const isIn = (key: EntityKey, range: { from?: KeyCut; to?: KeyCut }) => {
    const stored = encodeEntityKey(prefix, key);
    const { gte, lt } = encodeRange(prefix, range);
    return byBytes(stored, gte) >= 0 && byBytes(stored, lt) < 0;
  };

  it('are the keys between its cuts, for every cut', () => {
    fc.assert(
      fc.property(entityKey, cutOf(anyText), (key, cut) => {
        expect(isIn(key, { from: cut })).toBe(isAfter(cut, key));
        expect(isIn(key, { to: cut })).toBe(!isAfter(cut, key));
        expect(isIn(key, {})).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('are the keys between its cuts, for cuts close to the key', () => {
    const near = fc.constantFrom(
      '',
      'a',
      'a\u0000',
      'a\u0000b',
      'a\u0001',
      'aa',
      '\u0000',
      '\u0001',
      '\ud800',
      '\ud800\u0000',
      '\uffff',
    );
    const key = fc.record({
      partitionKey: near.filter((text) => !text.includes('\u0000')),
      rowKey: near.filter((text) => !text.includes('\u0000')),
    });
    fc.assert(
      fc.property(key, cutOf(near), cutOf(near), (one, from, to) => {
        expect(isIn(one, { from, to })).toBe(isAfter(from, one) && !isAfter(to, one));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('are one key if the cuts are directly before and after it', () => {
    fc.assert(
      fc.property(entityKey, nulFreeText, (key, text) => {
        const range = { from: { ...key, side: 'before' as const }, to: { ...key, side: 'after' as const } };
        expect(isIn(key, range)).toBe(true);
        expect(isIn({ ...key, rowKey: `${key.rowKey}${text}` }, range)).toBe(text === '');
        expect(isIn({ ...key, partitionKey: `${key.partitionKey}${text}` }, range)).toBe(text === '');
      }),
    );
  });
});
