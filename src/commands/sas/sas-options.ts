import type { Command } from 'commander';
import type { AccessWish } from '../../protocol/access/access-wish.js';

/** The unparsed options of `tabularium sas`. */
export type SasFlags = AccessWish & { readonly account?: string };

/** Adds options for the fields of a shared access signature. */
export function addSasOptions(command: Command): Command {
  return command
    .option('--account <name>', 'account that signs; the first one by default')
    .option('--table <name>', 'table that the URL opens; without it, the whole account')
    .option('--permissions <letters>', 'allowed operations: r a u d for a table, also w c l for the account', '')
    .option('--start <instant>', 'start of validity, as 2026-11-21T10:00:00Z')
    .option('--expiry <instant>', 'end of validity')
    .option('--hours <number>', 'hours of validity if there is no --expiry; 1 by default')
    .option('--ip <range>', 'IPv4 address or range a-b of allowed clients')
    .option('--httpsOnly', 'allow HTTPS only')
    .option('--policy <id>', 'stored access policy of the table, which supplies the remaining fields')
    .option('--resourceTypes <letters>', 'for the account: s service, c tables, o entities', 'sco')
    .option('--startPartition <key>', 'first partition key')
    .option('--startRow <key>', 'first row key, within the first partition')
    .option('--endPartition <key>', 'last partition key')
    .option('--endRow <key>', 'last row key, within the last partition');
}
