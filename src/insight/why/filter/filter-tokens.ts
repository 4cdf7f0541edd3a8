import { lowerAscii } from '../../../protocol/names.js';

/** The kinds of tokens. A `literal` has a prefix, as `guid'…'`; `quoted` is in quotes that the service does not know. */
export type FilterTokenKind =
  | 'string'
  | 'unterminated'
  | 'literal'
  | 'quoted'
  | 'date'
  | 'guid'
  | 'number'
  | 'word'
  | 'sign';

/** A token of a `$filter`, also of one that the service rejects. */
export interface FilterToken {
  readonly kind: FilterTokenKind;
  readonly text: string;
  /** The text with its letters A to Z in lower case. */
  readonly lower: string;
  /** Where the token starts. Unit: UTF-16 code units, from 0. */
  readonly at: number;
  /** Where it ends. */
  readonly end: number;
  /** Whether it stands where a property, a literal or `not` can stand, and not where an operator can. */
  readonly isOperand: boolean;
}

/** The operators of a filter, spelled as the service wants them. */
export const filterOperators: ReadonlySet<string> = new Set('and or eq ne gt ge lt le add sub mul div mod'.split(' '));

/**
 * One token. No alternative searches text that another token starts in, except for the end of a string, which only the last
 * string can lack. So a filter is read in linear time.
 */
const token = new RegExp(
  [
    String.raw`\s+`,
    "(?<literal>(?:datetime|guid|binary|x)'(?:[^']|'')*'(?!'))",
    "(?<string>'(?:[^']|'')*'(?!'))",
    "(?<unterminated>'[^]*)",
    '(?<quoted>"[^"]*"|“[^“”]*”|‘[^‘’]*’)',
    String.raw`(?<guid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\p{L}\p{N}_]))`,
    String.raw`(?<date>\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+ -]\d\d:\d\d)?)?(?![\p{L}\p{N}_]))`,
    String.raw`(?<number>-?\d[\p{L}\p{N}\p{Pc}]*(?:\.\d[\p{L}\p{N}\p{Pc}]*)?(?:(?<=\de)[+-]\d[\p{L}\p{N}\p{Pc}]*)?)`,
    String.raw`(?<word>[\p{L}\p{N}\p{Pc}][\p{L}\p{M}\p{N}\p{Pc}\p{Cf}]*)`,
    String.raw`(?<sign>===?|!==?|<>|[<>]=|=[<>]|&&|\|\||[^])`,
  ].join('|'),
  'giuy',
);

/** How many tokens are read. (Our choice: 250 comparisons; people write no more by hand.) */
const tokensMax = 1024;

/** Splits a filter into tokens: at most 1,024, from the start. Blanks are left out. */
export function readFilterTokens(text: string): readonly FilterToken[] {
  const tokens: Omit<FilterToken, 'isOperand'>[] = [];
  for (const { 0: whole, index: at, groups } of text.matchAll(token)) {
    const found = kinds.find((kind) => groups?.[kind] !== undefined);
    if (!found) continue;
    tokens.push({ kind: found, text: whole, lower: lowerAscii(whole), at, end: at + whole.length });
    if (tokens.length === tokensMax) break;
  }
  let isOperand = true;
  return tokens.map((one, index) => {
    const placed = { ...one, isOperand };
    isOperand = isOperandNext(placed, tokens[index + 1]);
    return placed;
  });
}

const kinds: readonly FilterTokenKind[] = [
  'word',
  'string',
  'number',
  'sign',
  'literal',
  'quoted',
  'date',
  'guid',
  'unterminated',
];

/** Returns whether an operand can follow a token. */
function isOperandNext(
  { kind, text, lower, isOperand }: FilterToken,
  next: Omit<FilterToken, 'isOperand'> | undefined,
): boolean {
  if (kind === 'sign') return text !== ')';
  if (!isOperand) return kind === 'word';
  if (kind !== 'word' || lower !== 'not') return false;
  // A property may have the name Not. Then an operator follows.
  return text === 'not' || next?.text === '(' || (next?.kind === 'word' && !filterOperators.has(next.text));
}
