import { lowerAscii } from '../../../protocol/names.js';

/** The kinds of tokens. A `literal` has a prefix, as in `guid'…'`; `quoted` is in quotes that the service does not know. */
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

/** A token of a `$filter`, accepted or rejected. */
export interface FilterToken {
  readonly kind: FilterTokenKind;
  readonly text: string;
  /** The text with A to Z in lower case. */
  readonly lower: string;
  /** Where the token starts. Unit: UTF-16 code units, from 0. */
  readonly at: number;
  readonly end: number;
  /** Whether it is in the place of a property, a literal or `not`, rather than of an operator. */
  readonly isOperand: boolean;
}

/** The operators of a filter, as the service spells them. */
export const filterOperators: ReadonlySet<string> = new Set('and or eq ne gt ge lt le add sub mul div mod'.split(' '));

/**
 * One token. No alternative scans into the next token, except for the end of a string, which only the last string can lack. So
 * reading a filter takes linear time.
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

/** Maximum number of tokens. (Our choice: 250 comparisons; people write no more by hand.) */
const tokensMax = 1024;

/** Splits a filter into its first 1,024 tokens. Omits blanks. */
export function readFilterTokens(text: string): readonly FilterToken[] {
  const tokens: Omit<FilterToken, 'isOperand'>[] = [];
  for (const { 0: whole, index: at, groups } of text.matchAll(token)) {
    const kind = kinds.find((one) => groups?.[one] !== undefined);
    if (!kind) continue;
    tokens.push({ kind, text: whole, lower: lowerAscii(whole), at, end: at + whole.length });
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

function isOperandNext(
  { kind, text, lower, isOperand }: FilterToken,
  next: Omit<FilterToken, 'isOperand'> | undefined,
): boolean {
  if (kind === 'sign') return text !== ')';
  if (!isOperand) return kind === 'word';
  if (kind !== 'word' || lower !== 'not') return false;
  // A property may have the name Not; an operator follows it.
  return text === 'not' || next?.text === '(' || (next?.kind === 'word' && !filterOperators.has(next.text));
}
