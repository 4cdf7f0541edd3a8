import { filterDepthMax } from '../../protocol/limits.js';

/** Strings, parentheses and words. A string with a doubled quote is matched as two strings. */
const piece = /'[^']*'|[()]|[\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]+/gu;

/**
 * Returns whether parentheses and `not` are nested too deeply for the parser, which uses the stack for each level. The
 * check runs before the parser, in one pass without recursion. For a malformed filter, the result is arbitrary.
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
      // A `not` ends with its operand.
      depth = outside.length > 0 ? (outside.at(-1) ?? 0) + 1 : 0;
    }
    if (depth > filterDepthMax) return true;
  }
  return false;
}
