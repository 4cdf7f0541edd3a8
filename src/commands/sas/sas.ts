import { isWithinAddresses } from '../../auth/address-range.js';
import { createSignature } from '../../auth/create-signature.js';
import { tableEndpoint } from '../../client/connection-strings.js';
import { targetEndpoint } from '../../client/server-url.js';
import { ConfigError, shownValue } from '../../config.js';
import { checkTableName } from '../../protocol/names.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import type { CommandConfig } from '../options/server-options.js';
import type { SasFlags } from './sas-options.js';

/**
 * Returns a signed URL for a table or an account of a server with these settings. `now` is in milliseconds since 1970.
 * Errors: ConfigError with the name of the invalid option.
 */
export function signUrl(config: CommandConfig, flags: SasFlags, now: number): string {
  const account =
    flags.account === undefined ? config.accounts[0] : config.accounts.find(({ name }) => name === flags.account);
  if (!account?.keys[0]) {
    const names = config.accounts.map(({ name }) => name).join(', ');
    throw new ConfigError(`There is no account '${shownValue(flags.account ?? '')}'. The accounts are: ${names}.`);
  }
  const { table, policy } = flags;
  checkRange(flags);
  const letters = table === undefined ? 'rwdlacu' : 'raud';
  const sp = orderLetters('--permissions', flags.permissions || (policy === undefined ? letters : ''), letters);
  const query = createSignature(
    {
      sp,
      ...readWindow(flags, now),
      ...(flags.ip !== undefined && { sip: checkAddresses(flags.ip) }),
      ...(flags.httpsOnly && { spr: 'https' }),
      ...(table === undefined ? { ss: 't', srt: readResourceTypes(flags) } : { tn: checkName(table) }),
      ...(policy !== undefined && { si: policy }),
      ...(flags.startPartition !== undefined && { spk: flags.startPartition }),
      ...(flags.startRow !== undefined && { srk: flags.startRow }),
      ...(flags.endPartition !== undefined && { epk: flags.endPartition }),
      ...(flags.endRow !== undefined && { erk: flags.endRow }),
    },
    account.name,
    account.keys[0],
  );
  const endpoint = tableEndpoint(targetEndpoint(config), account.name);
  return `${endpoint}${table === undefined ? '/' : `/${table}`}?${query}`;
}

/**
 * Checks the options for tables, and the key range: a row key needs its partition key, and the start must not be after the end.
 * Keys compare by UTF-16 code unit. Source: auth 2.
 */
function checkRange(flags: SasFlags): void {
  const { policy } = flags;
  const tableOptions = ['policy', 'startPartition', 'startRow', 'endPartition', 'endRow'] as const;
  const misplaced = tableOptions.find((name) => flags[name] !== undefined);
  if (flags.table === undefined && misplaced !== undefined) throw new ConfigError(`--${misplaced} needs --table.`);
  if (flags.startRow !== undefined && flags.startPartition === undefined) {
    throw new ConfigError('--startRow needs --startPartition.');
  }
  if (flags.endRow !== undefined && flags.endPartition === undefined) {
    throw new ConfigError('--endRow needs --endPartition.');
  }
  if (policy === '') throw new ConfigError('--policy needs the id of a policy.');
  for (const name of ['startPartition', 'startRow', 'endPartition', 'endRow'] as const) checkKey(name, flags[name]);
  const { startPartition, startRow, endPartition, endRow } = flags;
  const inOnePartition = startPartition === endPartition;
  if (isAfter(startPartition, endPartition) || (inOnePartition && isAfter(startRow, endRow))) {
    throw new ConfigError('The start of the range is after its end. Exchange them.');
  }
}

function isAfter(start: string | undefined, end: string | undefined): boolean {
  return start !== undefined && end !== undefined && start > end;
}

/** Checks a key. Rejects an empty one: it signs like an absent key, without limiting the signature. Source: auth 2.2. */
function checkKey(name: string, key: string | undefined): void {
  if (key === '') {
    throw new ConfigError(`--${name} needs a key that is not empty. An empty key does not limit the signature.`);
  }
  if (key !== undefined && /[\u0000-\u001f\u007f-\u009f]/.test(key)) {
    throw new ConfigError(`--${name}: a key cannot contain control characters.`);
  }
}

function readResourceTypes({ resourceTypes }: SasFlags): string {
  if (resourceTypes === '') throw new ConfigError('--resourceTypes needs at least one letter of sco.');
  return orderLetters('--resourceTypes', resourceTypes, 'sco');
}

/** Sorts the letters in the order of the service, which other implementations require. Errors: ConfigError. */
function orderLetters(option: string, text: string, letters: string): string {
  const unknown = [...text].find((letter) => !letters.includes(letter));
  if (unknown !== undefined) throw new ConfigError(`${option}: '${shownValue(unknown)}' is not one of ${letters}.`);
  return [...letters].filter((letter) => text.includes(letter)).join('');
}

function checkAddresses(text: string): string {
  if (isWithinAddresses(text, text.split('-', 1)[0] ?? '')) return text;
  throw new ConfigError(
    `--ip: '${shownValue(text)}' is not an IPv4 address or a range of them. Write it as 10.0.0.1 or 10.0.0.1-10.0.0.9.`,
  );
}

function checkName(table: string): string {
  if (checkTableName(table) === undefined) return table;
  throw new ConfigError(
    `--table: '${shownValue(table)}' cannot be the name of a table. Use 3 to 63 letters and digits; begin with a letter.`,
  );
}

/** The fields of a signature for its start and expiry. */
interface SasWindow {
  readonly st?: string;
  readonly se?: string;
}

/**
 * Reads the start and expiry of a signature. Without `--expiry` it is valid for `--hours`, one by default, from its start or `now`,
 * whichever is later. With a stored policy and neither option, it has no expiry of its own. `now` is in milliseconds since 1970.
 *
 * Errors: ConfigError for an invalid instant, an expiry in the past, or a start that is not before the end.
 */
function readWindow({ start, expiry, hours, policy }: SasFlags, now: number): SasWindow {
  const from = start === undefined ? now : Math.max(now, readInstant('--start', start));
  const lasts = hours ?? (policy === undefined ? '1' : undefined);
  const end = expiry ?? (lasts === undefined ? undefined : hoursAfter(from, lasts));
  if (end !== undefined) {
    const until = readInstant('--expiry', end);
    if (until <= now) throw new ConfigError(`--expiry: '${end}' is in the past. Choose a later instant.`);
    if (start !== undefined && readInstant('--start', start) >= until) {
      throw new ConfigError(`--start: '${start}' is not before the end, which is ${end}.`);
    }
  }
  return { ...(start !== undefined && { st: start }), ...(end !== undefined && { se: end }) };
}

function hoursAfter(from: number, hours: string): string {
  const end = new Date(from + Number(hours) * 3_600_000);
  // After the year 9999, toISOString writes a form that servers cannot read.
  if (!(end.getTime() > from && end.getUTCFullYear() <= 9999)) {
    throw new ConfigError(`--hours ${hours} is not a valid number of hours. Use a positive number.`);
  }
  return end.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Reads an instant. Unit: milliseconds since 1970. Errors: ConfigError with the name of the option. */
function readInstant(option: string, text: string): number {
  const reading = readDateTime(text);
  if ('text' in reading) return Date.parse(reading.text.replace(/(\.\d{3})\d+Z$/, '$1Z'));
  throw new ConfigError(`${option}: '${text}' is not an instant. Write it as 2026-11-21T10:00:00Z.`);
}
