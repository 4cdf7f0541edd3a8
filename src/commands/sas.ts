import { isWithinAddresses } from '../auth/address-range.js';
import { createSignature } from '../auth/create-signature.js';
import { type Config, ConfigError } from '../config.js';
import { readDateTime } from '../protocol/date-time.js';
import { checkTableName } from '../protocol/names.js';
import { tableEndpointOf } from './connection-strings.js';
import type { SasFlags } from './sas-options.js';

/** A signed URL for a table or the account of a server with these settings. Errors: ConfigError. */
export function signUrl(config: Config, flags: SasFlags, now: number): string {
  const account = flags.account ? config.accounts.find(({ name }) => name === flags.account) : config.accounts[0];
  if (!account?.keys[0]) throw new ConfigError(`There is no account ${flags.account}.`);
  const { table, policy } = flags;
  checkRange(flags);
  const letters = table === undefined ? 'rwdlacu' : 'raud';
  const sp = orderLetters('--permissions', flags.permissions || (policy === undefined ? letters : ''), letters);
  const lasts = policy === undefined ? '1' : undefined;
  const end = flags.expiry ?? hoursFrom(now, flags.hours ?? lasts);
  const query = createSignature(
    {
      sp,
      ...(flags.start !== undefined && { st: checkInstant('--start', flags.start) }),
      ...(end !== undefined && { se: checkInstant('--expiry', end) }),
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
  const endpoint = tableEndpointOf(config, account.name);
  return `${endpoint}${table === undefined ? '/' : `/${table}`}?${query}`;
}

/** What only a table's signature can say, and a row key only within its partition. Source: auth, section 2. */
function checkRange(flags: SasFlags): void {
  const ofTables = ['policy', 'startPartition', 'startRow', 'endPartition', 'endRow'] as const;
  const stray = ofTables.find((name) => flags[name] !== undefined);
  if (flags.table === undefined && stray) throw new ConfigError(`--${stray} belongs to a --table.`);
  if (flags.startRow !== undefined && flags.startPartition === undefined) {
    throw new ConfigError('--startRow belongs to a --startPartition.');
  }
  if (flags.endRow !== undefined && flags.endPartition === undefined) {
    throw new ConfigError('--endRow belongs to an --endPartition.');
  }
}

function readResourceTypes({ resourceTypes }: SasFlags): string {
  if (resourceTypes === '') throw new ConfigError('--resourceTypes needs at least one letter of sco.');
  return orderLetters('--resourceTypes', resourceTypes, 'sco');
}

/** The letters in the service's order, which other readers of the signature insist on. */
function orderLetters(option: string, text: string, letters: string): string {
  const unknown = [...text].find((letter) => !letters.includes(letter));
  if (unknown !== undefined) throw new ConfigError(`${option}: '${unknown}' is none of ${letters}.`);
  return [...letters].filter((letter) => text.includes(letter)).join('');
}

function hoursFrom(now: number, hours: string | undefined): string | undefined {
  if (hours === undefined) return undefined;
  const end = new Date(now + Number(hours) * 3_600_000);
  // Beyond the year 9999 an instant is written in a way that no server reads.
  if (!(end.getTime() > now && end.getUTCFullYear() <= 9999)) throw new ConfigError(`--hours ${hours} is no time.`);
  return end.toISOString().replace(/\.\d+Z$/, 'Z');
}

function checkInstant(option: string, text: string): string {
  if ('text' in readDateTime(text)) return text;
  throw new ConfigError(`${option}: '${text}' is no instant; write it as 2026-11-21T10:00:00Z.`);
}

function checkAddresses(text: string): string {
  if (isWithinAddresses(text, text.split('-', 1)[0] ?? '')) return text;
  throw new ConfigError(`--ip: '${text}' is neither an IPv4 address nor a range of them; write it as a or a-b.`);
}

function checkName(table: string): string {
  if (checkTableName(table) === undefined) return table;
  throw new ConfigError(`--table: '${table}' cannot be a table's name; use 3 to 63 letters and digits.`);
}
