import { inputTexts, TableError } from '../protocol/errors.js';

const oneTag = /^(?:W\/)?"[^"]*"$/;

/**
 * Reads the conditions of a write: no `If-Match` at all, `*`, or exactly one tag.
 *
 * Errors: InvalidInput for anything else, and for `If-None-Match`, which writes do not take.
 * Source: operations 8.11; checks-order, ladder 7 step 1.
 */
export function readIfMatch(
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
  verb: 'PUT' | 'MERGE' | 'DELETE',
): string | undefined {
  if (ifNoneMatch !== undefined) throw new TableError('InvalidInput', { message: inputTexts.ifNoneMatch(verb) });
  const tag = ifMatch?.trim();
  // Some clients write the header of a part and leave it empty; that is none.
  if (tag === undefined || tag === '') return undefined;
  if (tag !== '*' && !oneTag.test(tag)) throw new TableError('InvalidInput', { message: inputTexts.etag(tag) });
  return tag;
}
