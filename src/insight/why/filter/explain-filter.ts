import type { TableError } from '../../../protocol/errors.js';
import type { Explanation } from '../../../protocol/explanation.js';
import { filterUnitsMax } from '../../../protocol/limits.js';
import { explainFilterFault } from './filter-faults.js';
import { type FilterIdiom, type FoundIdiom, filterIdioms } from './filter-idioms.js';
import { type FilterToken, filterOperators, readFilterTokens } from './filter-tokens.js';

/** Explains why a `$filter` was rejected. `text` is the whole filter, decoded. Takes time in proportion to its length. */
export function explainFilter(text: string, error: Pick<TableError, 'code' | 'variant'>): Explanation {
  if (text.length > filterUnitsMax) {
    const what = `The filter has ${text.length} characters; at most ${filterUnitsMax} are allowed.`;
    return { cause: 'filter-too-long', text: what, advice: 'Send several queries.' };
  }
  const tokens = readFilterTokens(text);
  return findQuote(tokens) ?? findIdiom(text, tokens) ?? explainFilterFault(text, error);
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
