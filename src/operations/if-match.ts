import type { IfMatch } from '../entity/change.js';
import { readDateTime } from '../protocol/date-time.js';
import { TableError } from '../protocol/errors.js';

const weakTag = /^W\/"([^"]*)"$/;
const dateTimeTag = /^datetime'([^']*)'$/i;

/**
 * Tags exactly as the server writes them, on a day that every month has. Nearly all tags are of this form. They are
 * their own canonical form, so they need not be parsed.
 */
const canonicalTag =
  /^W\/"datetime'[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])%3A[0-5]\d%3A[0-5]\d(?:\.\d{0,6}[1-9])?Z'"$/;

/** A fraction of a second with a digit after the seventh that is not zero. No entity has such an instant. */
const finerThanTick = /\.\d{7}\d*[1-9]/;

/** Whether a request sets no condition. Some clients write the header of a part and leave it empty. */
export function isUnconditional(ifMatch: string | undefined): boolean {
  return ifMatch === undefined || ifMatch.trim() === '';
}

/**
 * Reads the condition of a write: no `If-Match` at all, `*`, or exactly one weak tag. Returns a tag in the form in which
 * entities have it, so that two tags of the same instant are the same text: `%3a` and `:` become `%3A`, zeros at the
 * end of the fraction go, an offset becomes `Z`. The .NET libraries build the tag of a queried entity from its
 * Timestamp and always write seven digits; the service compares instants.
 *
 * Errors: InvalidInput for a value that is not one weak tag, and for `If-None-Match`, which writes do not take;
 * ConditionNotMet for a weak tag that holds no instant.
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
  return `W/"datetime'${instant.replaceAll(':', '%3A')}'"`;
}

/** The instant in a tag as canonical text, or undefined where the tag holds none. */
function readInstant(content: string): string | undefined {
  const [, sent] = dateTimeTag.exec(withoutEscapes(content)) ?? [];
  if (sent === undefined || finerThanTick.test(sent)) return undefined;
  const reading = readDateTime(sent);
  if ('text' in reading) return reading.text;
  // An instant before 1601 is an instant, but no entity has it.
  return reading.fault === 'out-of-range' ? sent : undefined;
}

/** The text without percent-encoding. Text that is not validly encoded stays as it is. */
function withoutEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
