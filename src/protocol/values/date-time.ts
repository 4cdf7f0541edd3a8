import { rememberedLast } from '../../remembered.js';
import { dateTimeYearMin } from '../limits.js';

/** The result of reading a DateTime: its canonical text, or its fault. */
type DateTimeReading =
  | { readonly text: string }
  /** The text is not a date. */
  | { readonly fault: 'unreadable' }
  /** The date is before 1601. `printed` is the date as the service prints it in its message. */
  | { readonly fault: 'out-of-range'; readonly printed: string };

const form = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Fast path: the form that the service writes, from 1700 on, on a day that every month has. Source of a regular expression. */
export const usualDateTimeForm = String.raw`(?:1[7-9]|[2-9]\d)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{0,6}[1-9])?Z`;

const usualForm = new RegExp(`^${usualDateTimeForm}$`);

/** The form that the service writes. The pattern does not check the hour or the day of the month. */
const canonicalForm = /^\d{4}-\d\d-\d\dT[012]\d:[0-5]\d:[0-5]\d(?:\.\d{0,6}[1-9])?Z$/;

/**
 * Reads a DateTime in any form that the service accepts and returns it as the service writes it: in UTC, with at most
 * seven fraction digits and without trailing zeros. A text without a zone is UTC. Digits beyond 100 ns are cut off.
 *
 * Canonical texts, compared as text without their final `Z`, are in chronological order.
 * Source: data-model 5.
 */
export function readDateTime(text: string): DateTimeReading {
  if (usualForm.test(text) || isCanonical(text)) return { text };
  const parts = form.exec(text);
  if (!parts) return { fault: 'unreadable' };
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    parts;
  let instant = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  if (!isDay(year, month, day) || hour > '23' || minute > '59' || second > '59') return { fault: 'unreadable' };
  if (zone !== 'Z') {
    const offset = (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))) * (zone[0] === '-' ? 1 : -1);
    if (Math.abs(offset) > 14 * 60 || zone.slice(4, 6) > '59') return { fault: 'unreadable' };
    instant = new Date(Date.parse(`${instant}Z`) + offset * 60_000).toISOString().slice(0, 19);
  }
  if (!/^\d{4}-/.test(instant)) return { fault: 'unreadable' };
  if (Number(instant.slice(0, 4)) < dateTimeYearMin) return { fault: 'out-of-range', printed: printInvariant(instant) };
  const ticks = fraction.slice(0, 7).replace(/0+$/, '');
  return { text: `${instant}${ticks ? `.${ticks}` : ''}Z` };
}

/** Returns whether a text is a date in canonical form, which needs no further parsing. */
function isCanonical(text: string): boolean {
  if (!canonicalForm.test(text) || text < `${dateTimeYearMin}` || text.slice(11, 13) > '23') return false;
  return isDay(text.slice(0, 4), text.slice(5, 7), text.slice(8, 10));
}

/** Returns whether a day exists in the calendar. Month and day have two digits each, so they compare as text. */
function isDay(year: string, month: string, day: string): boolean {
  if (year === '0000' || month < '01' || month > '12' || day < '01') return false;
  // Every month has the days 1 to 28. For other days, Date rolls over: 30 February becomes a day in March.
  return day <= '28' || new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
}

/** Returns an instant as `MM/dd/yyyy HH:mm:ss`, the form in the service's out-of-range message. */
function printInvariant(instant: string): string {
  return `${instant.slice(5, 7)}/${instant.slice(8, 10)}/${instant.slice(0, 4)} ${instant.slice(11, 19)}`;
}

const httpDateForm =
  /^(?:[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d) \d\d:\d\d:\d\d GMT$/;

/**
 * Returns the instant of a date header in milliseconds since 1970, or NaN for any other text. Accepts the forms of
 * RFC 1123 and RFC 850, both in GMT. Source: auth 1.3.
 */
export const readHttpDate: (text: string) => number = rememberedLast((text) =>
  httpDateForm.test(text) ? Date.parse(text) : Number.NaN,
);
