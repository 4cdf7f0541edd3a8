import { randomUUID } from 'node:crypto';
import type { EntityText } from '../../../entity/stored/entity.js';
import { rememberedLast } from '../../../remembered.js';

/** Seconds from 1601, the epoch of ticks, to 1970. */
const epochSeconds = 11_644_473_600;

/** Digits of a tick count after the seconds. Unit: 100 ns. */
export const fractionDigits = 7;

/**
 * The placeholder for the Timestamp of an unwritten change. It is random, because a client could send any fixed text as a tag, and match an
 * entity without one.
 */
export const unstamped = `unstamped-${randomUUID()}`;

/** The beginning of an entity's tag, before the Timestamp. */
export const etagStart = '{"odata.etag":"W/\\"datetime\'';

/** The rest of the tag, up to the next member. */
export const etagEnd = '\'\\"",';

/** The beginning of the Timestamp's member in a body. */
export const stampMember = '"Timestamp":"';

/** Returns the stored body of an entity: its text without tag and Timestamp, which the database assigns. */
export function bodyOf(text: EntityText): string {
  // An unwritten change has neither.
  if (text.startsWith(etagEnd, etagStart.length)) return text.slice(etagStart.length + etagEnd.length);
  const start = text.indexOf(etagEnd, etagStart.length) + etagEnd.length;
  // A quote within a string is escaped, so this is the system property.
  const stamp = text.indexOf(stampMember, start) + stampMember.length;
  return text.slice(start, stamp) + text.slice(text.indexOf('"', stamp));
}

/** Returns the text of an entity. `ticks` is its Timestamp: decimal digits, 100 ns since 1601. */
export function textOf(body: string, ticks: string): EntityText {
  const { plain, encoded } = timesOf(ticks);
  return join(body, plain, encoded);
}

/** Returns the text of an entity without a Timestamp. No client's tag matches it. */
export function unstampedTextOf(body: string): EntityText {
  return join(body, unstamped, unstamped);
}

function join(body: string, time: string, encoded: string): EntityText {
  const at = body.indexOf(stampMember) + stampMember.length;
  return `${etagStart}${encoded}${etagEnd}${body.slice(0, at)}${time}${body.slice(at)}`;
}

/** The body of an entity without properties, for a condition on the tag alone. */
export const bareBody = `${stampMember}"}`;

/** Returns a second since 1601 as UTC text, plain and encoded for an ETag. Rows written together share it. */
const secondOf = rememberedLast((second: string) => {
  const plain = new Date((Number(second) - epochSeconds) * 1000).toISOString().slice(0, 19);
  return { plain, encoded: plain.replaceAll(':', '%3A') };
});

/** Returns ticks as UTC text, plain and encoded for an ETag, without trailing zeros in the fraction. */
const timesOf = rememberedLast((ticks: string) => {
  const whole = ticks.length - fractionDigits;
  const { plain, encoded } = secondOf(ticks.slice(0, whole));
  let end = ticks.length;
  while (end > whole && ticks[end - 1] === '0') end--;
  const fraction = end === whole ? 'Z' : `.${ticks.slice(whole, end)}Z`;
  return { plain: plain + fraction, encoded: encoded + fraction };
});

/** Returns ticks as UTC text, without trailing zeros in the fraction. */
export function timeOf(ticks: string): string {
  return timesOf(ticks).plain;
}

/** Returns the ticks of a tag in the form of `etagOf`; undefined for a tag that no entity can have. */
export function ticksOfEtag(etag: string): string | undefined {
  const [, encoded] = /^W\/"datetime'(\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(?:\.\d{1,7})?Z)'"$/.exec(etag) ?? [];
  if (encoded === undefined) return undefined;
  const [whole = '', fraction = ''] = encoded.replaceAll('%3A', ':').slice(0, -1).split('.');
  const second = Date.parse(`${whole}Z`) / 1000;
  if (Number.isNaN(second) || second < -epochSeconds) return undefined;
  const ticks = `${second + epochSeconds}${fraction.padEnd(fractionDigits, '0')}`;
  // Another spelling of the same moment is a different tag.
  return timeOf(ticks).replaceAll(':', '%3A') === encoded ? ticks : undefined;
}

/** Returns ticks in the form of `Table.created`: 16 lower-case hex digits. */
export function createdOf(ticks: string): string {
  return BigInt(ticks).toString(16).padStart(16, '0');
}
