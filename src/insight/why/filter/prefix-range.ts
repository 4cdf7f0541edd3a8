/**
 * Returns the conditions of a range that has the strings with a prefix. Both are literals of a filter; strings are compared by
 * UTF-16 code units. `end` is undefined if no string follows all that begin so.
 */
export function prefixRange(literal: string): { readonly start: string; readonly end: string | undefined } {
  const characters = Array.from(literal.slice(1, -1).replaceAll("''", "'"));
  while (characters.at(-1) === '\uffff') characters.pop();
  const last = characters.pop();
  if (last === undefined) return { start: literal, end: undefined };
  const next = characters.join('') + String.fromCodePoint(nextCodePoint(last.codePointAt(0) ?? 0));
  return { start: literal, end: `'${next.replaceAll("'", "''")}'` };
}

/** Returns the code point that sorts next in UTF-16. Half a pair cannot be sent, so surrogates are left out. */
function nextCodePoint(code: number): number {
  if (code === 0xd7ff) return 0x1_0000;
  if (code === 0x10_ffff) return 0xe000;
  return code + 1;
}

/** Returns the condition that a property begins with a string, or, if `isNegated`, that it is a string and does not. */
export function prefixCondition(property: string, literal: string, isNegated = false): string {
  const { start, end } = prefixRange(literal);
  if (isNegated)
    return end === undefined ? `${property} lt ${start}` : `(${property} lt ${start} or ${property} ge ${end})`;
  return end === undefined ? `${property} ge ${start}` : `(${property} ge ${start} and ${property} lt ${end})`;
}
