import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntityKey } from '../../../../src/entity/entity.js';
import type { KeyCut } from '../../../../src/query/plan.js';
import { encodeEntityKey, encodeOrdered, encodeRange, entityPrefix } from '../../../../src/store/level/key-encoding.js';
import { anyText, entityKey, nulFreeText } from '../../../support/arbitraries.js';

const prefix = entityPrefix('account', '1');

/** How LevelDB compares: the bytes of the UTF-8. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The service's ordinal order: by UTF-16 code unit. */
const byUnits = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

const byKeys = (a: EntityKey, b: EntityKey) => byUnits(a.partitionKey, b.partitionKey) || byUnits(a.rowKey, b.rowKey);

/** Where a row stands to a cut, by the definition of cuts. */
function isBehind(cut: KeyCut, key: EntityKey): boolean {
  if (key.partitionKey !== cut.partitionKey) return key.partitionKey > cut.partitionKey;
  if (cut.rowKey === undefined || key.rowKey === cut.rowKey) return cut.side === 'before';
  return key.rowKey > cut.rowKey;
}

const side = fc.constantFrom('before' as const, 'after' as const);

/** Literals of a filter may hold what no key does, U+0000 included. */
const cutOf = (text: fc.Arbitrary<string>): fc.Arbitrary<KeyCut> =>
  fc.oneof(fc.record({ partitionKey: text, side }), fc.record({ partitionKey: text, rowKey: text, side }));

describe('the order of stored keys', () => {
  it('is that of UTF-16 code units, for every two strings', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(byBytes(encodeOrdered(a), encodeOrdered(b))).toBe(byUnits(a, b));
      }),
      { numRuns: 3000 },
    );
  });

  it('is (PartitionKey, RowKey) order, for every two entities of a table', () => {
    fc.assert(
      fc.property(entityKey, entityKey, (a, b) => {
        expect(byBytes(encodeEntityKey(prefix, a), encodeEntityKey(prefix, b))).toBe(byKeys(a, b));
      }),
      { numRuns: 3000 },
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

  it('survives UTF-8, lone surrogates and all', () => {
    fc.assert(
      fc.property(entityKey, (key) => {
        const encoded = encodeEntityKey(prefix, key);
        expect(Buffer.from(encoded).toString()).toBe(encoded);
      }),
    );
  });

  it('keeps the tables of all accounts apart', () => {
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

  it('are those of the keys in it, for every cut', () => {
    fc.assert(
      fc.property(entityKey, cutOf(anyText), (key, cut) => {
        expect(isIn(key, { from: cut })).toBe(isBehind(cut, key));
        expect(isIn(key, { to: cut })).toBe(!isBehind(cut, key));
        expect(isIn(key, {})).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('are those of the keys in it, for cuts close to the key', () => {
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
        expect(isIn(one, { from, to })).toBe(isBehind(from, one) && !isBehind(to, one));
      }),
      { numRuns: 3000 },
    );
  });

  it('are one key where the cuts are before and after it', () => {
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
