import { describe, expect, it } from 'vitest';
import { filterDepthMax } from '../../../src/protocol/limits.js';
import { isTooDeep } from '../../../src/query/filter/parse-filter.js';

const half = filterDepthMax / 2;
const open = (count: number) => '('.repeat(count);
const close = (count: number) => ')'.repeat(count);
const not = (count: number) => 'not '.repeat(count);

/** Returns what makes a filter of the maximum depth when it gets `levels` levels, and a deeper one with one more. */
const limits: readonly (readonly [what: string, filter: (levels: number) => string, levels: number])[] = [
  ['parentheses', (levels) => `${open(levels)}A${close(levels)}`, filterDepthMax],
  ['negations', (levels) => `${not(levels)}A`, filterDepthMax],
  ['negations of parentheses', (levels) => `${not(half)}${open(levels)}A${close(levels)}`, half],
  ['parentheses after a term', (levels) => `A and ${open(levels)}B${close(levels)}`, filterDepthMax],
  [
    'parentheses after a negation has ended',
    (levels) => `${not(half)}A or ${open(levels)}B${close(levels)}`,
    filterDepthMax,
  ],
  [
    'parentheses after a term within others',
    (levels) => `${open(half)}A and ${open(levels)}B${close(levels + half)}`,
    half,
  ],
  [
    'parentheses after a negation within others',
    (levels) => `${open(half)}${not(half)}A or ${open(levels)}B${close(levels + half)}`,
    half,
  ],
  [
    'parentheses after others have closed',
    (levels) => `${open(half)}(A) eq ${open(levels)}1${close(levels + half)}`,
    half,
  ],
  ['negations before the name of a function', (levels) => `${not(half)}f(${open(levels)}A${close(levels)})`, half - 1],
];

describe('A filter', () => {
  it.each(limits)('may have the maximum depth of %s, and not more', (_what, filter, levels) => {
    expect([isTooDeep(filter(levels)), isTooDeep(filter(levels + 1))]).toEqual([false, true]);
  });

  it.each([
    ['in a string', `A eq '${open(filterDepthMax + 1)}'`],
    ['in a string with quotes', `A eq '''${open(filterDepthMax + 1)}'''`],
    ['one after the other', '(A) or '.repeat(filterDepthMax + 1)],
    ['negated one after the other', 'not (A) and '.repeat(filterDepthMax + 1)],
  ])('may have more parentheses %s', (_where, text) => {
    expect(isTooDeep(text)).toBe(false);
  });

  it('may have words that begin with not', () => {
    expect(isTooDeep('nothing '.repeat(filterDepthMax + 1))).toBe(false);
    expect(isTooDeep('notée '.repeat(filterDepthMax + 1))).toBe(false);
  });
});
