import type { Command } from 'commander';
import { createSignature } from '../auth/create-signature.js';
import { type Config, ConfigError } from '../config.js';
import { readDateTime } from '../protocol/date-time.js';
import { tableEndpoint } from './connection-strings.js';

interface SasFlags {
  account?: string;
  table?: string;
  permissions: string;
  start?: string;
  expiry?: string;
  hours: string;
  ip?: string;
  httpsOnly?: boolean;
  policy?: string;
  resourceTypes: string;
  startPartition?: string;
  startRow?: string;
  endPartition?: string;
  endRow?: string;
}

/** Adds what a shared access signature can say to a command. */
export function addSasOptions(command: Command): Command {
  return command
    .option('--account <name>', 'account that signs; the first one by default')
    .option('--table <name>', 'table it is for; without it, it is for the whole account')
    .option('--permissions <letters>', 'what it allows: r a u d for a table, also w c l for the account', '')
    .option('--start <instant>', 'when it begins, as 2026-11-21T10:00:00Z')
    .option('--expiry <instant>', 'when it ends')
    .option('--hours <number>', 'how long it lasts if no end is given', '1')
    .option('--ip <range>', 'IPv4 address or range a-b it may be used from')
    .option('--httpsOnly', 'only over HTTPS')
    .option('--policy <id>', 'stored access policy of the table that says the rest')
    .option('--resourceTypes <letters>', 'for the account: s service, c tables, o entities', 'sco')
    .option('--startPartition <key>', 'first partition key')
    .option('--startRow <key>', 'first row key, within the first partition')
    .option('--endPartition <key>', 'last partition key')
    .option('--endRow <key>', 'last row key, within the last partition');
}

/** A signed URL for a table or the account of a server with these settings. Errors: ConfigError. */
export function signUrl(config: Config, flags: SasFlags, now: number): string {
  const account = flags.account ? config.accounts.find(({ name }) => name === flags.account) : config.accounts[0];
  if (!account?.keys[0]) throw new ConfigError(`There is no account ${flags.account}.`);
  const { table, policy } = flags;
  if (policy !== undefined && table === undefined) throw new ConfigError('--policy belongs to a --table.');
  const permissions = flags.permissions || (policy === undefined ? (table === undefined ? 'rwdlacu' : 'raud') : '');
  const letters = table === undefined ? 'rwdlacu' : 'raud';
  const unknown = [...permissions].find((letter) => !letters.includes(letter));
  if (unknown !== undefined) throw new ConfigError(`--permissions: '${unknown}' is none of ${letters}.`);
  // Both must be in the service's order for other readers of the signature.
  const ordered = [...letters].filter((letter) => permissions.includes(letter)).join('');
  const end = flags.expiry ?? (policy === undefined ? hoursFrom(now, flags.hours) : undefined);
  const query = createSignature(
    {
      sp: ordered,
      ...(flags.start !== undefined && { st: checkInstant('--start', flags.start) }),
      ...(end !== undefined && { se: checkInstant('--expiry', end) }),
      ...(flags.ip !== undefined && { sip: flags.ip }),
      ...(flags.httpsOnly && { spr: 'https' }),
      ...(table === undefined ? { ss: 't', srt: flags.resourceTypes } : { tn: table }),
      ...(policy !== undefined && { si: policy }),
      ...(flags.startPartition !== undefined && { spk: flags.startPartition }),
      ...(flags.startRow !== undefined && { srk: flags.startRow }),
      ...(flags.endPartition !== undefined && { epk: flags.endPartition }),
      ...(flags.endRow !== undefined && { erk: flags.endRow }),
    },
    account.name,
    account.keys[0],
  );
  const endpoint = tableEndpoint({ ...config, scheme: config.tls ? 'https' : 'http' }, account.name);
  return `${endpoint}${table === undefined ? '/' : `/${table}`}?${query}`;
}

function hoursFrom(now: number, hours: string): string {
  const count = Number(hours);
  if (!(count > 0)) throw new ConfigError(`--hours ${hours} is no time.`);
  return new Date(now + count * 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
}

function checkInstant(option: string, text: string): string {
  if ('text' in readDateTime(text)) return text;
  throw new ConfigError(`${option}: '${text}' is no instant; write it as 2026-11-21T10:00:00Z.`);
}
