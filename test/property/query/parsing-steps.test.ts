import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import peggy from 'peggy';
import { expect, it } from 'vitest';
import { filterDepthMax } from '../../../src/protocol/limits.js';
import { isTooDeep } from '../../../src/query/filter/parse-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const parser = peggy.generate(readFileSync('grammar/filter.peggy', 'utf8'), { trace: true });

/** Rules that the parser may enter for each character, and before the first: twice the most of any text of this kind. */
const stepsOfUnit = 30;
const stepsOfNothing = 60;

/** Every kind of token, whole and cut off. */
const tokens = [
  ...['(', ')', ',', '-', ' ', "'", "''", '1', '1L', 'A', 'null', 'true', "X'00'", "datetime'", 'INF'],
  ...['not ', 'not(', 'not (', ' and ', ' or ', ' eq ', ' eq', ' add ', 'startswith(', 'A eq 1', "A eq '"],
];
const piece = fc.array(fc.constantFrom(...tokens), { maxLength: 3 }).map((parts) => parts.join(''));

/** A text that opens, repeats and ends in some way, as deep as the parser reads. */
const text = fc
  .tuple(piece, piece, fc.integer({ min: 1, max: filterDepthMax }), piece, piece)
  .map(([start, repeated, times, middle, end]) => start + repeated.repeat(times) + middle + end.repeat(times));

it('reads no part of a filter again and again, however its parentheses and its `not` are nested', () => {
  fc.assert(
    fc.property(text, (filter) => {
      fc.pre(!isTooDeep(filter));
      expect(stepsOf(filter)).toBeLessThanOrEqual(stepsOfNothing + stepsOfUnit * filter.length);
    }),
    { numRuns: runs(2_000), examples: [['not ('.repeat(20)], ['not '.repeat(40)], ['A eq not ('.repeat(20)]] },
  );
});

/** Returns how many rules the parser enters for a text, and at most a few more than it may enter. */
function stepsOf(filter: string): number {
  let steps = 0;
  const enough = new Error('too many steps');
  const trace = ({ type }: { readonly type: string }) => {
    if (type !== 'rule.enter') return;
    steps++;
    if (steps > 2 * stepsOfNothing + stepsOfUnit * filter.length) throw enough;
  };
  try {
    parser.parse(filter, { tracer: { trace } });
  } catch (error) {
    if (error !== enough && !(error instanceof parser.SyntaxError)) throw error;
  }
  return steps;
}
