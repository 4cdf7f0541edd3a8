import { describe, expect, it } from 'vitest';
import {
  compareCuts,
  intersectRanges,
  isWithin,
  mergeRanges,
  startRangesAt,
} from '../../../src/query/plan/key-ranges.js';
import type { KeyCut, KeyRange } from '../../../src/query/plan/plan.js';
import { printRange } from '../../support/answers/print-range.js';

const beforeKey = (partitionKey: string, rowKey?: string): KeyCut => ({
  partitionKey,
  ...(rowKey !== undefined && { rowKey }),
  side: 'before',
});
const afterKey = (partitionKey: string, rowKey?: string): KeyCut => ({
  ...beforeKey(partitionKey, rowKey),
  side: 'after',
});

describe('compareCuts', () => {
  it('orders cuts like the rows that they separate', () => {
    const ascending = [
      beforeKey(''),
      beforeKey('', ''),
      afterKey('', ''),
      afterKey(''),
      beforeKey('a'),
      beforeKey('a', ''),
      afterKey('a', ''),
      beforeKey('a', 'b'),
      afterKey('a', 'b'),
      afterKey('a'),
      beforeKey('a\u{10000}'),
      beforeKey('a\ue000'),
    ];
    ascending.forEach((a, atA) => {
      ascending.forEach((b, atB) => {
        expect(Math.sign(compareCuts(a, b))).toBe(Math.sign(atA - atB));
      });
    });
  });
});

describe('A list of ranges', () => {
  const list: readonly KeyRange[] = [
    { from: beforeKey('a'), to: afterKey('a') },
    { from: beforeKey('c', 'b'), to: beforeKey('c', 'd') },
    { from: beforeKey('e') },
  ];

  it('intersects with another list to the rows in both', () => {
    const other: readonly KeyRange[] = [{ to: afterKey('a', 'x') }, { from: beforeKey('c', 'c'), to: afterKey('f') }];
    const expected = ['<a..a/x>', '<c/c..<c/d', '<e..f>'];
    expect(intersectRanges(list, other).map(printRange)).toEqual(expected);
    expect(intersectRanges(other, list).map(printRange)).toEqual(expected);
    expect(intersectRanges(list, [{}]).map(printRange)).toEqual(list.map(printRange));
    expect(intersectRanges(list, [])).toEqual([]);
  });

  it('can start at a key, with the row at that key', () => {
    const startAt = (partitionKey: string, rowKey: string) =>
      startRangesAt(list, { partitionKey, rowKey }).map(printRange);
    expect(startAt('a', 'x')).toEqual(['<a/x..a>', '<c/b..<c/d', '<e..']);
    expect(startAt('b', '')).toEqual(['<c/b..<c/d', '<e..']);
    expect(startAt('c', 'd')).toEqual(['<e..']);
    expect(startAt('z', '')).toEqual(['<z/..']);
  });

  it('merges ranges that overlap or touch', () => {
    const merged = mergeRanges([
      { from: beforeKey('d') },
      { from: beforeKey('b'), to: afterKey('b') },
      { from: beforeKey('a'), to: beforeKey('b') },
      { from: beforeKey('a', 'x'), to: afterKey('a', 'y') },
      { from: afterKey('b', 'c'), to: afterKey('b') },
    ]);
    expect(merged.map(printRange)).toEqual(['<a..b>', '<d..']);
    expect(mergeRanges([{ from: beforeKey('a') }, {}])).toEqual([{}]);
  });
});

describe('isWithin', () => {
  const cases: readonly (readonly [range: KeyRange, within: readonly string[], outside: readonly string[]])[] = [
    [{}, ['/', 'a/a'], []],
    [{ from: beforeKey('b') }, ['b/', 'b/a', 'c/'], ['a/z', '/', 'B/z']],
    [{ to: afterKey('b') }, ['/', 'a/z', 'b/z'], ['ba/', 'c/']],
    [{ from: beforeKey('b', '5') }, ['b/5', 'b/6', 'b/50', 'c/', 'c/1'], ['b/4', 'b/', 'b/10', 'a/9']],
    [{ to: afterKey('b', '5') }, ['a/9', 'b/', 'b/5', 'b/10'], ['b/50', 'b/6', 'c/']],
    [{ from: afterKey('b', '5') }, ['b/50', 'b/6', 'c/'], ['b/5', 'b/4', 'a/9']],
    [{ to: beforeKey('b', '5') }, ['a/9', 'b/', 'b/4'], ['b/5', 'b/50', 'c/']],
    [{ from: beforeKey('é') }, ['é/', 'ê/'], ['z/', 'e/']],
    [{ from: beforeKey('c'), to: afterKey('b') }, [], ['b/', 'c/', 'bb/']],
    [{ from: beforeKey(''), to: afterKey('') }, ['/', '/z'], ['a/']],
  ];

  it.each(cases)('includes the rows at both ends of %o', (range, within, outside) => {
    const test = (key: string) => isWithin(range, ...(key.split('/') as [string, string]));

    expect(within.filter(test)).toEqual(within);
    expect(outside.filter(test)).toEqual([]);
  });

  it('includes every row if there is no range', () => {
    expect(isWithin(undefined, 'p', 'r')).toBe(true);
  });
});
