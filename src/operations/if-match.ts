import type { IfMatch } from '../entity/stored/change.js';
import { writeEtag } from '../entity/stored/entity.js';
import { TableError } from '../protocol/errors.js';
import { readDateTime } from '../protocol/values/date-time.js';

const weakTag = /^W\/"([^"]*)"$/;
const dateTimeTag = /^datetime'([^']*)'$/i;

/** Fast path: ETags exactly as the server writes them, on days 1 to 28. They are canonical and need no parsing. */
const canonicalTag =
  /^W\/"datetime'[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])%3A[0-5]\d%3A[0-5]\d(?:\.\d{0,6}[1-9])?Z'"$/;

/** A fraction of a second with a digit after the seventh that is not zero. No entity has it. */
const finerThanTick = /\.\d{7}\d*[1-9]/;

/** Returns whether a request has no condition. Some clients send the header of a part with an empty value. */
export function isUnconditional(ifMatch: string | undefined): boolean {
  return ifMatch === undefined || ifMatch.trim() === '';
}

/**
 * Reads the condition of a write: no `If-Match`, `*`, or exactly one weak tag. Returns a tag in canonical form, so that two
 * tags of the same time are the same text: `%3a` and `:` become `%3A`, zeros at the end of the fraction are removed, an offset
 * becomes `Z`. The service compares times: the .NET libraries build the tag of a queried entity from its Timestamp and always
 * write seven digits.
 *
 * Errors: InvalidInput for a value that is not one weak tag, and for `If-None-Match`, which writes do not accept;
 * ConditionNotMet for a weak tag without a time.
 * Source: operations 8.11; checks-order 7 step 1.
 */
export function readIfMatch(
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
  verb: 'PUT' | 'MERGE' | 'DELETE',
): IfMatch {
  if (ifNoneMatch !== undefined) throw new TableError('InvalidInput', { variant: { name: 'if-none-match', verb } });
  if (ifMatch === undefined || isUnconditional(ifMatch)) return undefined;
  const sent = ifMatch.trim();
  if (sent === '*' || canonicalTag.test(sent)) return sent;
  const [, content] = weakTag.exec(sent) ?? [];
  if (content === undefined) throw new TableError('InvalidInput', { variant: { name: 'etag-malformed', etag: sent } });
  const instant = readInstant(content);
  if (instant === undefined) throw new TableError('ConditionNotMet');
  return writeEtag(instant);
}

/** Returns the time in a tag as canonical text, or undefined if it does not contain one. */
function readInstant(content: string): string | undefined {
  const [, sent] = dateTimeTag.exec(withoutEscapes(content)) ?? [];
  if (sent === undefined || finerThanTick.test(sent)) return undefined;
  const reading = readDateTime(sent);
  if ('text' in reading) return reading.text;
  // A time before 1601 is valid, but no entity has it.
  return reading.fault === 'out-of-range' ? sent : undefined;
}

/** Decodes percent-encoding. A text with invalid encoding is returned unchanged. */
function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the error of a write without a header that it needs. */
export function headerMissing(header: string): TableError {
  return new TableError('InvalidInput', { evidence: () => ({ check: 'header-missing', header }) });
}
