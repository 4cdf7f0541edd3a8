import { filterDepthMax } from '../protocol/limits.js';

/** Strings (a doubled quote is simply two of them), parentheses, words. */
const piece = /'[^']*'|[()]|[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]+/gu;

/**
 * Whether parentheses and `not` nest deeper than the parser may follow. One pass without recursion: the parser needs
 * the stack for each level, so it must not begin on such a text. Text that is no filter at all gets any answer.
 */
export function isTooDeep(text: string): boolean {
  const outside: number[] = [];
  let depth = 0;
  for (const [word] of text.matchAll(piece)) {
    if (word === '(') {
      outside.push(depth);
      depth++;
    } else if (word === ')') {
      depth = outside.pop() ?? 0;
    } else if (word === 'not') {
      depth++;
    } else if (word === 'and' || word === 'or') {
      // A `not` reaches no further than its operand.
      depth = outside.length > 0 ? (outside.at(-1) ?? 0) + 1 : 0;
    }
    if (depth > filterDepthMax) return true;
  }
  return false;
}
