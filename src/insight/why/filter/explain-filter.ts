import { TableError } from '../../../protocol/errors.js';
import type { Explanation } from '../../../protocol/explanation.js';
import { filterDepthMax, filterUnitsMax } from '../../../protocol/limits.js';
import { parseFilter } from '../../../query/filter/parse-filter.js';
import { type FilterIdiom, filterIdioms, type IdiomMatch } from './filter-idioms.js';
import { type FilterToken, filterOperators, readFilterTokens } from './filter-tokens.js';

/** Maximum attempts to fix a filter. (Our choice: one pass fixes all idioms, or one string with a wrong quote.) */
const textsMax = 5;

/** Longest filter to search for idioms. Unit: UTF-16 code units. (Our choice: longer ones are generated, and a pass may double it.) */
const searchedUnitsMax = 4096;

type FilterError = Pick<TableError, 'code' | 'variant'>;

/**
 * Explains why a `$filter` was rejected. `text` is the whole filter, decoded. The fix replaces the fault, or the whole filter if
 * it has several, and makes the service accept it; it is absent if any fault lacks one. Takes linear time.
 */
export function explainFilter(text: string, error: FilterError): Explanation {
  const { fix, ...explanation } = explainFault(text, error);
  if (fix === undefined || text.length > searchedUnitsMax) return explanation;
  const { at = 0, length = 0 } = explanation;
  const fixed = fixAll(text);
  if (fixed === undefined) return explanation;
  if (fixed === text.slice(0, at) + fix + text.slice(at + length)) return { ...explanation, fix };
  return { ...explanation, at: 0, length: text.length, fix: fixed };
}

/** Applies fixes until the service accepts the filter. Undefined if a fault has none, or after too many attempts. */
function fixAll(text: string): string | undefined {
  let fixed = text;
  for (let time = 0; time < textsMax; time++) {
    if (isAccepted(fixed)) return fixed;
    const tokens = readFilterTokens(fixed);
    const quote = findQuotedTwice(fixed, tokens) ?? findQuote(tokens);
    const next = applyFixes(fixed, quote ? [quote] : findIdioms(fixed, tokens));
    if (next === undefined || next === fixed) return undefined;
    fixed = next;
  }
  return undefined;
}

/** Applies the fixes of faults in order of position. Undefined if one has none. */
function applyFixes(text: string, faults: Iterable<Explanation>): string | undefined {
  const parts: string[] = [];
  let end = 0;
  for (const { at = 0, length = 0, fix } of faults) {
    if (fix === undefined) return undefined;
    parts.push(text.slice(end, at), fix);
    end = at + length;
  }
  return parts.join('') + text.slice(end);
}

function isAccepted(text: string): boolean {
  try {
    parseFilter(text);
    return true;
  } catch (error) {
    if (error instanceof TableError) return false;
    throw error;
  }
}

/** Explains the first fault of a filter, with a fix for it alone. */
function explainFault(text: string, error: FilterError): Explanation {
  if (text.length > filterUnitsMax) {
    const words = `The filter has ${text.length} characters; at most ${filterUnitsMax} are allowed.`;
    return { cause: 'filter-too-long', text: words, advice: 'Send several queries.' };
  }
  if (text.length > searchedUnitsMax) return explainFilterFault(text, error);
  const tokens = readFilterTokens(text);
  return (
    findQuotedTwice(text, tokens) ??
    findQuote(tokens) ??
    findIdioms(text, tokens).next().value ??
    explainFilterFault(text, error)
  );
}

/** Finds a string in two pairs of quotes, such as from a template that quotes an already quoted value. */
function findQuotedTwice(text: string, tokens: readonly FilterToken[]): Explanation | undefined {
  const opening = tokens.find(({ text: quotes, end, isOperand }, index) => {
    const next = tokens[index + 1];
    return isOperand && quotes === "''" && next?.at === end && next.text !== ')' && !filterOperators.has(next.lower);
  });
  if (!opening) return undefined;
  const rest = text.slice(opening.end);
  const closing = /''(?=\s*(?:$|\))|\s+(?:and|or|&&|\|\|)\s)/i.exec(rest);
  if (!closing) return undefined;
  return {
    cause: 'filter-quoted-twice',
    text: 'The string has quotes of its own inside the quotes of the filter.',
    advice: 'Leave out the quotes around the placeholder: functions such as odata`…` and CreateQueryFilter add them.',
    at: opening.at,
    length: opening.text.length + closing.index + closing[0].length,
    fix: `'${rest.slice(0, closing.index)}'`,
  };
}

/** Finds an unterminated string, or one that ends early because of a quote that is not doubled. */
function findQuote(tokens: readonly FilterToken[]): Explanation | undefined {
  const early = tokens.find(({ kind, end }, index) => {
    const next = tokens[index + 1];
    const isJoined = (kind === 'string' || kind === 'literal') && next?.at === end;
    return isJoined && (next.kind === 'word' || next.kind === 'number') && !filterOperators.has(next.lower);
  });
  const last = tokens.at(-1);
  if (!early && last?.kind !== 'unterminated') return undefined;
  const explanation = {
    cause: 'filter-quote',
    text: 'A string in the filter ends in the wrong place.',
    advice: "Double the quotes inside a string: 'O''Hara'.",
  };
  if (!early) return { ...explanation, at: last?.at ?? 0, length: 1 };
  // Other languages escape a quote with a backslash.
  const length = early.text.endsWith("\\'") ? 2 : 1;
  return { ...explanation, at: early.end - length, length, fix: "''" };
}

/** Yields the idioms in a filter without overlaps. */
function* findIdioms(text: string, tokens: readonly FilterToken[]): Generator<Explanation> {
  let end = 0;
  for (const [index, token] of tokens.entries()) {
    if (index < end) continue;
    const after = (places: number) => tokens[index + places];
    for (const idiom of filterIdioms) {
      const match = idiom.find(token, after);
      if (!match) continue;
      end = index + (match.tokens ?? 1);
      yield explainIdiom(idiom, match, text, tokens.slice(index, end));
      break;
    }
  }
}

function explainIdiom(
  { cause, text: usual }: FilterIdiom,
  { text = usual, advice, fix }: IdiomMatch,
  filter: string,
  tokens: readonly FilterToken[],
): Explanation {
  const at = tokens[0]?.at ?? 0;
  const end = tokens.at(-1)?.end ?? at;
  return {
    cause,
    text,
    advice,
    at,
    length: end - at,
    ...(fix !== undefined && { fix: separate(filter, at, end, fix) }),
  };
}

/** Returns a fix with blanks that separate it from its neighbors. */
function separate(filter: string, at: number, end: number, fix: string): string {
  const joins = /[\p{L}\p{N}\p{Pc}'")]/u;
  const before = joins.test(filter.slice(Math.max(at - 1, 0), at)) ? ' ' : '';
  const next = /[\p{L}\p{N}\p{Pc}'"(-]/u.test(filter.slice(end, end + 1)) ? ' ' : '';
  return before + fix + next;
}

/** The advice for each type of literal. */
const literalAdvice: ReadonlyMap<string, string> = new Map([
  ['Binary', "Write X and quoted pairs of hexadecimal digits: X'0aff'."],
  ['Guid', "Write guid and a quoted GUID: guid'12345678-1234-1234-1234-123456789abc'."],
  ['DateTime', "Write datetime and a quoted date with a time: datetime'2026-01-31T10:00:00Z'."],
  ['Int32', 'An integer beyond 32 bits needs the suffix L.'],
  ['Int64', 'Write digits and L, within 64 bits: 5000000000L.'],
  ['Double', 'The number is too large for a Double.'],
  ['Single', 'The service has no Single. Write the number without F.'],
  ['Decimal', 'The service has no Decimal. Write the number without M.'],
]);

const gaps = {
  expression: 'A property or a constant',
  operator: 'An operator or a closing parenthesis',
  comma: 'A comma or a closing parenthesis',
} as const;

/** Explains the fault that the parser found. `text` is the whole filter. */
function explainFilterFault(text: string, { code, variant }: Pick<TableError, 'code' | 'variant'>): Explanation {
  const cause = !variant || variant.name === 'query-input' ? 'filter' : variant.name;
  switch (variant?.name) {
    case 'filter-character':
      return {
        cause,
        text: `At position ${variant.position} there is ${variant.character}, which is only allowed inside a string.`,
        at: variant.position,
        length: variant.character.length,
      };
    case 'filter-literal': {
      const advice = literalAdvice.get(variant.type);
      return {
        cause,
        text: `${variant.literal} at position ${variant.position} is not a valid ${variant.type}.`,
        ...(advice !== undefined && { advice }),
        at: variant.position,
        length: variant.literal.length,
      };
    }
    case 'filter-syntax': {
      const at = Math.min(variant.position, text.length);
      const missing = variant.missing && ` ${gaps[variant.missing]} was expected there.`;
      return { cause, text: `The filter is malformed at position ${at}.${missing ?? ''}`, at, length: 1 };
    }
    case 'filter-string-unterminated':
      return {
        cause,
        text: 'A string in the filter is not closed.',
        advice: "Double the quotes inside a string: 'O''Hara'.",
      };
    case 'filter-too-deep':
      return { cause, text: `Parentheses and 'not' are nested more than ${filterDepthMax} levels deep.` };
    case 'filter-not-boolean':
      return { cause, text: 'The filter is a value, not a condition.', advice: "Compare it: PartitionKey eq 'p'." };
    case 'filter-operand-type':
    case 'filter-operand-types':
      return {
        cause,
        text: "'and', 'or' and 'not' need conditions, but one has a value.",
        advice: 'Compare each property on its own: A eq 1 or A eq 2.',
      };
  }
  if (code === 'NotImplemented') {
    return {
      cause,
      text: 'A comparison needs exactly one property and one constant.',
      advice: "Write comparisons such as Name eq 'x', and combine them with and, or, not.",
    };
  }
  if (code === 'OutOfRangeInput') return { cause, text: 'A date in the filter is not between 1601 and 9999.' };
  return { cause, text: 'The service does not accept the filter.' };
}
