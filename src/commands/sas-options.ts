import type { Command } from 'commander';

/** What the options of `tabularium sas` say. */
export interface SasFlags {
  account?: string;
  table?: string;
  permissions: string;
  start?: string;
  expiry?: string;
  hours?: string;
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
    .option('--hours <number>', 'how long it lasts if no end is given; 1 by default')
    .option('--ip <range>', 'IPv4 address or range a-b it may be used from')
    .option('--httpsOnly', 'only over HTTPS')
    .option('--policy <id>', 'stored access policy of the table that says the rest')
    .option('--resourceTypes <letters>', 'for the account: s service, c tables, o entities', 'sco')
    .option('--startPartition <key>', 'first partition key')
    .option('--startRow <key>', 'first row key, within the first partition')
    .option('--endPartition <key>', 'last partition key')
    .option('--endRow <key>', 'last row key, within the last partition');
}
