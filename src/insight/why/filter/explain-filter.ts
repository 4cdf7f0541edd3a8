import { TableError } from '../../../protocol/errors.js';
import type { Explanation } from '../../../protocol/explanation.js';
import { filterUnitsMax } from '../../../protocol/limits.js';
import { parseFilter } from '../../../query/filter/parse-filter.js';
import { explainFilterFault } from './filter-faults.js';
import { type FilterIdiom, type FoundIdiom, filterIdioms } from './filter-idioms.js';
import { type FilterToken, filterOperators, readFilterTokens } from './filter-tokens.js';

/** How many texts are parsed to fix all faults of a filter, and their length together. Unit: UTF-16 code units. (Our choice: filters that people write have fewer.) */
const fixesMax = 32;
const fixedUnitsMax = 64 * 1024;

type FilterError = Pick<TableError, 'code' | 'variant'>;

/**
 * Explains why a `$filter` was rejected. `text` is the whole filter, decoded. The service accepts the filter with the fix: if
 * there are several faults, the place is that of all of them, and without a fix for each there is none. Takes time in
 * proportion to the length.
 */
export function explainFilter(text: string, error: FilterError): Explanation {
  const { fix, ...explanation } = explainFault(text, error);
  if (fix === undefined) return explanation;
  const { at = 0, length = 0 } = explanation;
  const first = text.slice(0, at) + fix + text.slice(at + length);
  const fixed = fixAll(first);
  if (fixed === undefined) return explanation;
  if (fixed === first) return { ...explanation, fix };
  const start = Math.min(
    at,
    sameUnits(text, fixed, (unit) => unit),
  );
  const tail = Math.min(
    text.length - at - length,
    sameUnits(text.slice(start), fixed.slice(start), (unit, all) => all - 1 - unit),
  );
  const end = text.length - tail;
  return { ...explanation, at: start, length: end - start, fix: fixed.slice(start, fixed.length - tail) };
}

/** Applies fixes until the service accepts the filter. Returns undefined if a fault has none, or there are too many. */
function fixAll(text: string): string | undefined {
  const times = Math.min(fixesMax, Math.ceil(fixedUnitsMax / text.length));
  let fixed = text;
  for (let time = 0; time < times; time++) {
    const error = errorOf(fixed);
    if (!error) return fixed;
    const { at = 0, length = 0, fix } = explainFault(fixed, error);
    if (fix === undefined) return undefined;
    fixed = fixed.slice(0, at) + fix + fixed.slice(at + length);
  }
  return undefined;
}

function errorOf(text: string): FilterError | undefined {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof TableError) return error;
    throw error;
  }
  return undefined;
}

/** Returns how many units two texts have in common, at the places that `placeOf` returns. */
function sameUnits(a: string, b: string, placeOf: (unit: number, length: number) => number): number {
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[placeOf(same, a.length)] === b[placeOf(same, b.length)]) same++;
  return same;
}

/** Explains the first fault that is found in a filter, with a fix for it alone. */
function explainFault(text: string, error: FilterError): Explanation {
  if (text.length > filterUnitsMax) {
    const what = `The filter has ${text.length} characters; at most ${filterUnitsMax} are allowed.`;
    return { cause: 'filter-too-long', text: what, advice: 'Send several queries.' };
  }
  const tokens = readFilterTokens(text);
  return (
    findQuotedTwice(text, tokens) ?? findQuote(tokens) ?? findIdiom(text, tokens) ?? explainFilterFault(text, error)
  );
}

/** Finds a string in two pairs of quotes, as from a template that adds quotes around a value that has its own. */
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

/** Finds a string that has no end, or that ended early because a quote in it was not doubled. */
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
  // Other languages put a backslash before the quote.
  const length = early.text.endsWith("\\'") ? 2 : 1;
  return { ...explanation, at: early.end - length, length, fix: "''" };
}

/** Returns the first form of another language in a filter. */
function findIdiom(text: string, tokens: readonly FilterToken[]): Explanation | undefined {
  for (const [index, token] of tokens.entries()) {
    const after = (places: number) => tokens[index + places];
    for (const idiom of filterIdioms) {
      const found = idiom.find(token, after);
      if (found) return explainIdiom(idiom, found, text, tokens.slice(index, index + (found.tokens ?? 1)));
    }
  }
  return undefined;
}

function explainIdiom(
  { cause, text: usual }: FilterIdiom,
  { text = usual, advice, fix }: FoundIdiom,
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

/** Returns a fix with the blanks that keep it apart from the words, numbers and literals around it. */
function separate(filter: string, at: number, end: number, fix: string): string {
  const joins = /[\p{L}\p{N}\p{Pc}'")]/u;
  const before = joins.test(filter.slice(Math.max(at - 1, 0), at)) ? ' ' : '';
  const next = /[\p{L}\p{N}\p{Pc}'"(-]/u.test(filter.slice(end, end + 1)) ? ' ' : '';
  return before + fix + next;
}
