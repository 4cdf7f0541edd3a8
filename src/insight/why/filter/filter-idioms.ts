import { int32Max, int32Min, int64Max, int64Min } from '../../../protocol/limits.js';
import { type FilterToken, filterOperators } from './filter-tokens.js';

/** Returns the token this many places after the examined one; before it if negative. */
export type TokenAfter = (places: number) => FilterToken | undefined;

/** An idiom in a filter. */
export interface IdiomMatch {
  /** The fault; the text of the idiom if absent. */
  readonly text?: string;
  readonly advice: string;
  /** Number of tokens. Absent: 1. */
  readonly tokens?: number;
  /** The replacement for these tokens; absent if only the writer can choose it. */
  readonly fix?: string;
}

/** A form of other query languages that a `$filter` of the service lacks. */
export interface FilterIdiom {
  readonly cause: string;
  readonly text: string;
  /** Returns a match that starts at a token. An accepted filter has none. */
  readonly find: (token: FilterToken, after: TokenAfter) => IdiomMatch | false;
}

const comparisons: ReadonlySet<string> = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);

/** Words that are literals. */
const constants: ReadonlySet<string> = new Set(['true', 'false', 'null', 'INF', 'NaN']);

/** The operators for signs of other languages. */
const wordsOfSigns: ReadonlyMap<string, string> = new Map([
  ['=', 'eq'],
  ['==', 'eq'],
  ['===', 'eq'],
  ['!=', 'ne'],
  ['!==', 'ne'],
  ['<>', 'ne'],
  ['<=', 'le'],
  ['=<', 'le'],
  ['>=', 'ge'],
  ['=>', 'ge'],
  ['<', 'lt'],
  ['>', 'gt'],
  ['&', 'and'],
  ['&&', 'and'],
  ['|', 'or'],
  ['||', 'or'],
  ['!', 'not'],
]);

/** The idioms. At each token, the first match is the explanation. */
export const filterIdioms: readonly FilterIdiom[] = [
  { cause: 'filter-startswith', text: 'The service has no function startswith.', find: findStartsWith },
  {
    cause: 'filter-substring',
    text: 'The service cannot search within a string.',
    find: (token, after) => isCall(token, after, searches) && { advice: searchAdvice, tokens: 2 },
  },
  {
    cause: 'filter-letter-case',
    text: 'The service compares strings case-sensitively and has no case functions.',
    find: (token, after) =>
      isCall(token, after, /^to(?:lower|upper)$/) && {
        advice: 'Store a lower-case copy and compare with that.',
        tokens: 2,
      },
  },
  {
    cause: 'filter-function',
    text: 'The service has no functions.',
    find: (token, after) =>
      isCall(token, after, /^(?!not$)/) && {
        advice: 'Compare properties with constants, and do the rest in the client.',
        tokens: 2,
      },
  },
  {
    cause: 'filter-in',
    text: "The service has no operator 'in'.",
    find: ({ kind, text, isOperand }, after) =>
      isOperand &&
      kind === 'word' &&
      isOperator(after(1), 'in') && {
        advice: `Join comparisons: (${text} eq … or ${text} eq …). For keys, send one query per value.`,
        tokens: after(2)?.text === '(' ? 3 : 2,
      },
  },
  {
    cause: 'filter-has',
    text: "The service has no operator 'has'.",
    find: (token) => isOperator(token, 'has') && { advice: "Compare with 'eq', or store one property per flag." },
  },
  { cause: 'filter-like', text: "The service has no operator 'like'.", find: findLike },
  { cause: 'filter-between', text: "The service has no operator 'between'.", find: findBetween },
  {
    cause: 'filter-arithmetic',
    text: 'Filters cannot calculate.',
    find: (token) =>
      isOperator(token, 'add', 'sub', 'mul', 'div', 'mod') && { advice: 'Calculate the constant in the client.' },
  },
  {
    cause: 'filter-path',
    text: 'The service has no nested properties.',
    find: ({ text }, after) =>
      text === '/' && after(-1)?.kind === 'word' && { advice: 'Store the value in a property of the entity itself.' },
  },
  { cause: 'filter-null', text: 'The service has no null; a property either exists or it does not.', find: findNull },
  {
    cause: 'filter-sign-operator',
    text: 'A $filter uses words as operators, not symbols.',
    find: ({ kind, text }) => {
      const word = kind === 'sign' ? wordsOfSigns.get(text) : undefined;
      return word !== undefined && { advice: 'Write eq, ne, gt, ge, lt, le, and, or, not.', fix: word };
    },
  },
  { cause: 'filter-word-case', text: 'Keywords must be lower case.', find: findWordCase },
  {
    cause: 'filter-double-quotes',
    text: 'Strings need single quotes.',
    find: ({ kind, text }) =>
      (kind === 'quoted' && {
        advice: "Write 'text', doubling quotes inside it.",
        fix: `'${text.slice(1, -1).replaceAll("'", "''")}'`,
      }) ||
      (text === '"' && { advice: "Write 'text', doubling quotes inside it." }),
  },
  {
    cause: 'filter-int64-suffix',
    text: 'An integer beyond 32 bits needs the suffix L.',
    find: ({ kind, text }) => kind === 'number' && /^-?\d+$/.test(text) && findLargeNumber(text),
  },
  {
    cause: 'filter-datetime-prefix',
    text: 'A date needs a prefix and quotes.',
    find: (token, after) => {
      const { kind, text, lower, end } = token;
      if (kind === 'date') return { advice: `Write ${dateLiteral(text)}.`, fix: dateLiteral(text) };
      const literal = after(1);
      if (lower !== 'datetimeoffset' || literal?.kind !== 'string' || literal.at !== end) return false;
      const fix = `datetime${literal.text}`;
      return { advice: `Write ${fix}.`, tokens: 2, fix };
    },
  },
  {
    cause: 'filter-guid-prefix',
    text: 'A GUID needs a prefix and quotes.',
    find: ({ kind, text }) => kind === 'guid' && { advice: `Write guid'${text}'.`, fix: `guid'${text}'` },
  },
  {
    cause: 'filter-encoded-twice',
    text: 'The filter was percent-encoded twice.',
    find: ({ text, end }, after) => {
      const next = after(1);
      return (
        text === '%' &&
        next?.at === end &&
        /^[0-9a-f]{2}/.test(next.lower) && { advice: 'Encode it once; most libraries already encode query options.' }
      );
    },
  },
  {
    cause: 'filter-date-plus',
    text: 'The date has a blank where its offset begins.',
    find: ({ kind, text }) =>
      kind === 'literal' &&
      /^datetime'[\dT:.-]+ \d\d:\d\d'$/.test(text) && {
        advice: 'In a URL, + is a blank: encode it as %2B, or write the time in UTC with Z.',
        fix: text.replace(' ', '+'),
      },
  },
  { cause: 'filter-unquoted', text: 'Properties can only be compared with constants.', find: findUnquoted },
];

const searches = /^(?:contains|substringof|endswith|indexof)$/;
const searchAdvice = 'Query a key range and search the result, or store the value in its own property.';

function isCall({ kind, lower, isOperand }: FilterToken, after: TokenAfter, name: RegExp): boolean {
  return isOperand && kind === 'word' && after(1)?.text === '(' && name.test(lower);
}

/** Whether a token is one of these words, in any letter case, in the place of an operator. */
function isOperator(token: FilterToken | undefined, ...names: readonly string[]): boolean {
  return token?.kind === 'word' && !token.isOperand && names.includes(token.lower);
}

/** Returns the word of a comparison, even for a sign or capital letters. */
function comparisonOf(token: FilterToken | undefined): string | undefined {
  const word =
    token?.kind === 'sign' ? wordsOfSigns.get(token.text) : isOperator(token, ...comparisons) && token?.lower;
  return word && comparisons.has(word) ? word : undefined;
}

function findStartsWith(token: FilterToken, after: TokenAfter): IdiomMatch | false {
  if (!isCall(token, after, /^startswith$/)) return false;
  const [property, comma, literal, close] = [2, 3, 4, 5].map(after);
  const isWhole = property?.kind === 'word' && comma?.text === ',' && literal?.kind === 'string' && close?.text === ')';
  if (!isWhole) return { advice: "Write a range: Name ge 'ab' and Name lt 'ac'.", tokens: 2 };
  const compared = after(7)?.lower;
  const operator = comparisonOf(after(6));
  const isCompared = operator !== undefined && (compared === 'true' || compared === 'false');
  const isNegated = isCompared && (operator === 'ne') !== (compared === 'false');
  const condition = prefixCondition(property.text, literal.text, isNegated);
  const isFixable =
    comparisonOf(after(-1)) === undefined &&
    (isCompared ? operator === 'eq' || operator === 'ne' : operator === undefined);
  return {
    advice: `Write a range: ${withoutParentheses(condition)}.`,
    tokens: isCompared ? 8 : 6,
    ...(isFixable && { fix: condition }),
  };
}

/** A pattern whose only placeholder is at its end is a prefix. */
function findLike(property: FilterToken, after: TokenAfter): IdiomMatch | false {
  if (property.kind !== 'word' || !property.isOperand || property.text === 'not') return false;
  const isNegated = after(1)?.lower === 'not';
  const like = isNegated ? 2 : 1;
  if (after(like)?.kind !== 'word' || after(like)?.lower !== 'like') return false;
  const pattern = after(like + 1);
  if (pattern?.kind !== 'string' || !/^'[^%*?_]+[%*]'$/.test(pattern.text))
    return { advice: searchAdvice, tokens: like + 1 };
  const fix = prefixCondition(property.text, `${pattern.text.slice(0, -2)}'`, isNegated);
  return { advice: `Write a range: ${withoutParentheses(fix)}.`, tokens: like + 2, fix };
}

function findBetween(property: FilterToken, after: TokenAfter): IdiomMatch | false {
  if (property.kind !== 'word' || !property.isOperand || !isOperator(after(1), 'between')) return false;
  const [from, and, to] = [2, 3, 4].map(after);
  if (!from || !to || and?.lower !== 'and')
    return { advice: 'Write two comparisons, such as A ge 1 and A le 5.', tokens: 2 };
  const fix = `(${property.text} ge ${from.text} and ${property.text} le ${to.text})`;
  return { advice: `Write ${withoutParentheses(fix)}.`, tokens: 5, fix };
}

/** Finds a comparison with null on either side, and SQL's `is null` and `is not null`. */
function findNull(token: FilterToken, after: TokenAfter): IdiomMatch | false {
  const advice = 'Read the entities and check for the missing property in the client, or store a placeholder value.';
  const isNull = (one: FilterToken | undefined) => one?.kind === 'word' && one.lower === 'null';
  if (isOperator(token, 'is')) {
    const places = after(1)?.lower === 'not' ? 2 : 1;
    return isNull(after(places)) && { advice, tokens: places + 1 };
  }
  if (comparisonOf(token)) return isNull(after(1)) && { advice, tokens: 2 };
  return token.isOperand && token.text === 'null' && comparisonOf(after(1)) !== undefined && { advice, tokens: 2 };
}

function findWordCase({ kind, text, lower, isOperand }: FilterToken, after: TokenAfter): IdiomMatch | false {
  if (kind !== 'word' || text === lower) return false;
  const match = { advice: `Write ${lower}.`, fix: lower };
  if (!isOperand) return filterOperators.has(lower) && match;
  if (lower === 'not') return after(1)?.isOperand === true && match;
  return (lower === 'true' || lower === 'false') && comparisonOf(after(-1)) !== undefined && match;
}

function findLargeNumber(digits: string): IdiomMatch | false {
  // `BigInt` is slow on long texts.
  const value = digits.length > 20 ? undefined : BigInt(digits);
  if (value !== undefined && value >= int32Min && value <= int32Max) return false;
  if (value !== undefined && value >= int64Min && value <= int64Max)
    return { advice: `Write ${digits}L.`, fix: `${digits}L` };
  return { text: 'The number exceeds 64 bits.', advice: 'Store larger numbers as strings, or as Double.' };
}

/** Finds a comparison with another property, which is nearly always a string without its quotes. */
function findUnquoted({ kind, text, isOperand }: FilterToken, after: TokenAfter): IdiomMatch | false {
  const left = after(-2);
  if (left?.kind !== 'word' || !left.isOperand || constants.has(left.text) || !comparisonOf(after(-1))) return false;
  if (kind !== 'word' || !isOperand || text === 'not' || constants.has(text) || after(1)?.text === '(') return false;
  return {
    text: `${text} is read as a property, but properties can only be compared with constants.`,
    advice: `If it is a string, write '${text}'.`,
  };
}

function withoutParentheses(condition: string): string {
  return condition.startsWith('(') ? condition.slice(1, -1) : condition;
}

function dateLiteral(date: string): string {
  // In an unencoded URL, the + of an offset is a blank.
  return `datetime'${date.includes('T') ? date.replace(' ', '+') : `${date}T00:00:00Z`}'`;
}

/**
 * Returns the range of the strings with a prefix, as filter literals. Strings compare by UTF-16 code units. `end` is undefined if
 * no string sorts after all of them.
 */
function prefixRange(literal: string): { readonly start: string; readonly end: string | undefined } {
  const characters = Array.from(literal.slice(1, -1).replaceAll("''", "'"));
  while (characters.at(-1) === '\uffff') characters.pop();
  const last = characters.pop();
  if (last === undefined) return { start: literal, end: undefined };
  const next = characters.join('') + String.fromCodePoint(nextCodePoint(last.codePointAt(0) ?? 0));
  return { start: literal, end: `'${next.replaceAll("'", "''")}'` };
}

/** Returns the next code point in UTF-16 order. Skips surrogates, because half a pair cannot be sent. */
function nextCodePoint(code: number): number {
  if (code === 0xd7ff) return 0x1_0000;
  if (code === 0x10_ffff) return 0xe000;
  return code + 1;
}

/** Returns the condition for strings with a prefix, or, if `isNegated`, for strings without it. */
function prefixCondition(property: string, literal: string, isNegated = false): string {
  const { start, end } = prefixRange(literal);
  if (isNegated)
    return end === undefined ? `${property} lt ${start}` : `(${property} lt ${start} or ${property} ge ${end})`;
  return end === undefined ? `${property} ge ${start}` : `(${property} ge ${start} and ${property} lt ${end})`;
}
