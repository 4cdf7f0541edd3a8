import type { TableError } from '../protocol/errors.js';
import type { Explanation } from './explanation.js';
import { filterIdioms } from './filter-idioms.js';

/** Explains why a `$filter` was refused. `text` is the whole filter, decoded. */
export function explainFilter(text: string, { variant }: Pick<TableError, 'variant'>): Explanation {
  if (variant?.name === 'filter-string-unterminated') return explainQuote(text);
  const blanked = blankStrings(text);
  for (const { cause, form, text: what, advice, fix } of filterIdioms) {
    const found = form.exec(blanked);
    if (!found) continue;
    const at = found.index;
    const length = found[0].length;
    // The groups come from the filter itself, because its strings are blank in the other text.
    const parts = new RegExp(form.source, `${form.flags}y`);
    parts.lastIndex = at;
    const [whole = '', ...groups] = parts.exec(text) ?? found;
    const fixed = fix && { fix: fix(groups, whole) };
    return { cause, text: what, advice: advice(groups), at, length, ...fixed };
  }
  if (variant && 'position' in variant) {
    const at = Math.min(variant.position, text.length);
    if (hasOddQuote(text)) return explainQuote(text);
    return { cause: variant.name, text: `The filter cannot be read at position ${at}.`, at, length: 1 };
  }
  return { cause: variant?.name ?? 'filter', text: 'The filter is not one that the service accepts.' };
}

/** Explains a string that does not end, or that ended early because a quote in it was not doubled. */
function explainQuote(text: string): Explanation {
  const at = text.search(/(?<=\w)'(?=\w)/u);
  return {
    cause: 'filter-quote',
    text: 'A string in the filter ends at the wrong place.',
    advice: "Write a quote inside a string twice: 'O''Hara'.",
    ...(at < 0 ? { at: text.lastIndexOf("'"), length: 1 } : { at, length: 1, fix: "''" }),
  };
}

/** Returns whether a quote has a letter before and after it and does not begin a literal such as `guid'…'`. */
function hasOddQuote(text: string): boolean {
  return /(?<!\b(?:datetime|guid|binary|x))(?<=\w)'(?=\w)/iu.test(text);
}

/** Replaces the letters of all strings by `_`, so that nothing inside a string looks like an operator. */
function blankStrings(text: string): string {
  return text.replace(/'(?:[^']|'')*'/g, (string) => `'${'_'.repeat(string.length - 2)}'`);
}
