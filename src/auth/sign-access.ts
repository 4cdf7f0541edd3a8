import type { AccessWish } from '../protocol/access/access-wish.js';
import { checkTableName } from '../protocol/names.js';
import { readDateTime } from '../protocol/values/date-time.js';
import { isWithinAddresses } from './address-range.js';
import { createSignature } from './create-signature.js';

/** How messages write the fields of a wish, such as `--start`, and its values. */
export interface WishWords {
  readonly field: (field: keyof AccessWish) => string;
  readonly value: (text: string) => string;
}

/** A wish that cannot be signed. The message names the field and the cure. */
export class WishFault extends Error {
  override readonly name = 'WishFault';
}

/**
 * Returns a shared access signature as a query without a question mark. `now` is in milliseconds since 1970; `words` writes fields
 * and values in messages. Errors: WishFault with the name of the invalid field.
 */
export function signAccess(
  wish: AccessWish,
  account: { readonly name: string; readonly key: string },
  now: number,
  words: WishWords,
): string {
  const { table, policy, permissions = '' } = wish;
  checkRange(wish, words);
  const letters = table === undefined ? 'rwdlacu' : 'raud';
  const chosen = permissions || (policy === undefined ? letters : '');
  return createSignature(
    {
      sp: orderLetters(words, 'permissions', chosen, letters),
      ...readWindow(wish, now, words),
      ...(wish.ip !== undefined && { sip: checkAddresses(wish.ip, words) }),
      ...(wish.httpsOnly && { spr: 'https' }),
      ...(table === undefined ? { ss: 't', srt: readResourceTypes(wish, words) } : { tn: checkName(table, words) }),
      ...(policy !== undefined && { si: policy }),
      ...(wish.startPartition !== undefined && { spk: wish.startPartition }),
      ...(wish.startRow !== undefined && { srk: wish.startRow }),
      ...(wish.endPartition !== undefined && { epk: wish.endPartition }),
      ...(wish.endRow !== undefined && { erk: wish.endRow }),
    },
    account.name,
    account.key,
  );
}

/**
 * Checks the fields for tables, and the key range: a row key needs its partition key, and the start must not be after the end.
 * Keys compare by UTF-16 code unit. Source: auth 2.
 */
function checkRange(wish: AccessWish, words: WishWords): void {
  const { policy } = wish;
  const tableOptions = ['policy', 'startPartition', 'startRow', 'endPartition', 'endRow'] as const;
  const misplaced = tableOptions.find((field) => wish[field] !== undefined);
  if (wish.table === undefined && misplaced !== undefined) {
    throw new WishFault(`${words.field(misplaced)} needs ${words.field('table')}.`);
  }
  if (wish.startRow !== undefined && wish.startPartition === undefined) {
    throw new WishFault(`${words.field('startRow')} needs ${words.field('startPartition')}.`);
  }
  if (wish.endRow !== undefined && wish.endPartition === undefined) {
    throw new WishFault(`${words.field('endRow')} needs ${words.field('endPartition')}.`);
  }
  if (policy === '') throw new WishFault(`${words.field('policy')} needs the id of a policy.`);
  for (const field of ['startPartition', 'startRow', 'endPartition', 'endRow'] as const) {
    checkKey(words.field(field), wish[field]);
  }
  const { startPartition, startRow, endPartition, endRow } = wish;
  const inOnePartition = startPartition === endPartition;
  if (isAfter(startPartition, endPartition) || (inOnePartition && isAfter(startRow, endRow))) {
    throw new WishFault('The start of the range is after its end. Exchange them.');
  }
}

function isAfter(start: string | undefined, end: string | undefined): boolean {
  return start !== undefined && end !== undefined && start > end;
}

/** Checks a key. Rejects an empty one: it signs like an absent key, without limiting the signature. Source: auth 2.2. */
function checkKey(name: string, key: string | undefined): void {
  if (key === '') {
    throw new WishFault(`${name} needs a key that is not empty. An empty key does not limit the signature.`);
  }
  if (key !== undefined && /[\u0000-\u001f\u007f-\u009f]/.test(key)) {
    throw new WishFault(`${name}: a key cannot contain control characters.`);
  }
}

function readResourceTypes({ resourceTypes = 'sco' }: AccessWish, words: WishWords): string {
  if (resourceTypes === '') throw new WishFault(`${words.field('resourceTypes')} needs at least one letter of sco.`);
  return orderLetters(words, 'resourceTypes', resourceTypes, 'sco');
}

/** Sorts the letters in the order of the service, which other implementations require. Errors: WishFault. */
function orderLetters(words: WishWords, field: keyof AccessWish, text: string, letters: string): string {
  const unknown = [...text].find((letter) => !letters.includes(letter));
  if (unknown !== undefined)
    throw new WishFault(`${words.field(field)}: '${words.value(unknown)}' is not one of ${letters}.`);
  return [...letters].filter((letter) => text.includes(letter)).join('');
}

function checkAddresses(text: string, words: WishWords): string {
  if (isWithinAddresses(text, text.split('-', 1)[0] ?? '')) return text;
  throw new WishFault(
    `${words.field('ip')}: '${words.value(text)}' is not an IPv4 address or a range of them. Write it as 10.0.0.1 or 10.0.0.1-10.0.0.9.`,
  );
}

function checkName(table: string, words: WishWords): string {
  if (checkTableName(table) === undefined) return table;
  throw new WishFault(
    `${words.field('table')}: '${words.value(table)}' cannot be the name of a table. Use 3 to 63 letters and digits; begin with a letter.`,
  );
}

/** The fields of a signature for its start and expiry. */
interface SasWindow {
  readonly st?: string;
  readonly se?: string;
}

/**
 * Reads the start and expiry of a signature. Without `expiry` it is valid for `hours`, one by default, from its start or `now`,
 * whichever is later. With a stored policy and neither option, it has no expiry of its own. `now` is in milliseconds since 1970.
 *
 * Errors: WishFault for an invalid instant, an expiry in the past, or a start that is not before the end.
 */
function readWindow({ start, expiry, hours, policy }: AccessWish, now: number, words: WishWords): SasWindow {
  const from = start === undefined ? now : Math.max(now, readInstant(words, 'start', start));
  const lasts = hours ?? (policy === undefined ? 1 : undefined);
  const end = expiry ?? (lasts === undefined ? undefined : hoursAfter(from, lasts, words));
  if (end !== undefined) {
    const until = readInstant(words, 'expiry', end);
    if (until <= now) throw new WishFault(`${words.field('expiry')}: '${end}' is in the past. Choose a later instant.`);
    if (start !== undefined && readInstant(words, 'start', start) >= until) {
      throw new WishFault(`${words.field('start')}: '${start}' is not before the end, which is ${end}.`);
    }
  }
  return { ...(start !== undefined && { st: start }), ...(end !== undefined && { se: end }) };
}

function hoursAfter(from: number, hours: string | number, words: WishWords): string {
  const end = new Date(from + Number(hours) * 3_600_000);
  // After the year 9999, toISOString writes a form that servers cannot read.
  if (!(end.getTime() > from && end.getUTCFullYear() <= 9999)) {
    throw new WishFault(`${words.field('hours')} ${hours} is not a valid number of hours. Use a positive number.`);
  }
  return end.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Reads an instant. Unit: milliseconds since 1970. Errors: WishFault with the name of the field. */
function readInstant(words: WishWords, field: keyof AccessWish, text: string): number {
  const reading = readDateTime(text);
  if ('text' in reading) return Date.parse(reading.text.replace(/(\.\d{3})\d+Z$/, '$1Z'));
  throw new WishFault(
    `${words.field(field)}: '${words.value(text)}' is not an instant. Write it as 2026-11-21T10:00:00Z.`,
  );
}
