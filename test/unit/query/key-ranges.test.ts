import { describe, expect, it } from 'vitest';
import { compareCuts, intersectRanges, isWithin, mergeRanges, startRangesAt } from '../../../src/query/key-ranges.js';
import type { KeyCut, KeyRange } from '../../../src/query/plan.js';
import { printRange } from '../../support/print-range.js';

const ahead = (partitionKey: string, rowKey?: string): KeyCut => ({
  partitionKey,
  ...(rowKey !== undefined && { rowKey }),
  side: 'before',
});
const behind = (partitionKey: string, rowKey?: string): KeyCut => ({ ...ahead(partitionKey, rowKey), side: 'after' });

describe('cuts', () => {
  it('stand in the order of the rows they separate', () => {
    const ascending = [
      ahead(''),
      ahead('', ''),
      behind('', ''),
      behind(''),
      ahead('a'),
      ahead('a', ''),
      behind('a', ''),
      ahead('a', 'b'),
      behind('a', 'b'),
      behind('a'),
      ahead('a\u{10000}'),
      ahead('a\ue000'),
    ];
    ascending.forEach((a, atA) => {
      ascending.forEach((b, atB) => {
        expect(Math.sign(compareCuts(a, b))).toBe(Math.sign(atA - atB));
      });
    });
  });
});

describe('ranges', () => {
  const list: readonly KeyRange[] = [
    { from: ahead('a'), to: behind('a') },
    { from: ahead('c', 'b'), to: ahead('c', 'd') },
    { from: ahead('e') },
  ];

  it('intersect to what is in both lists', () => {
    const other: readonly KeyRange[] = [{ to: behind('a', 'x') }, { from: ahead('c', 'c'), to: behind('f') }];
    const expected = ['<a..a/x>', '<c/c..<c/d', '<e..f>'];
    expect(intersectRanges(list, other).map(printRange)).toEqual(expected);
    expect(intersectRanges(other, list).map(printRange)).toEqual(expected);
    expect(intersectRanges(list, [{}]).map(printRange)).toEqual(list.map(printRange));
    expect(intersectRanges(list, [])).toEqual([]);
  });

  it('start at a key with the row at that key', () => {
    const startAt = (partitionKey: string, rowKey: string) =>
      startRangesAt(list, { partitionKey, rowKey }).map(printRange);
    expect(startAt('a', 'x')).toEqual(['<a/x..a>', '<c/b..<c/d', '<e..']);
    expect(startAt('b', '')).toEqual(['<c/b..<c/d', '<e..']);
    expect(startAt('c', 'd')).toEqual(['<e..']);
    expect(startAt('z', '')).toEqual(['<z/..']);
  });

  it('merge where they overlap or touch', () => {
    const merged = mergeRanges([
      { from: ahead('d') },
      { from: ahead('b'), to: behind('b') },
      { from: ahead('a'), to: ahead('b') },
      { from: ahead('a', 'x'), to: behind('a', 'y') },
      { from: behind('b', 'c'), to: behind('b') },
    ]);
    expect(merged.map(printRange)).toEqual(['<a..b>', '<d..']);
    expect(mergeRanges([{ from: ahead('a') }, {}])).toEqual([{}]);
  });
});

describe('isWithin', () => {
  const cases: readonly (readonly [range: KeyRange, within: readonly string[], outside: readonly string[]])[] = [
    [{}, ['/', 'a/a'], []],
    [{ from: ahead('b') }, ['b/', 'b/a', 'c/'], ['a/z', '/', 'B/z']],
    [{ to: behind('b') }, ['/', 'a/z', 'b/z'], ['ba/', 'c/']],
    [{ from: ahead('b', '5') }, ['b/5', 'b/6', 'b/50', 'c/', 'c/1'], ['b/4', 'b/', 'b/10', 'a/9']],
    [{ to: behind('b', '5') }, ['a/9', 'b/', 'b/5', 'b/10'], ['b/50', 'b/6', 'c/']],
    [{ from: ahead('é') }, ['é/', 'ê/'], ['z/', 'e/']],
    [{ from: ahead('c'), to: behind('b') }, [], ['b/', 'c/', 'bb/']],
    [{ from: ahead(''), to: behind('') }, ['/', '/z'], ['a/']],
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
