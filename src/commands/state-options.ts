import type { Command } from 'commander';

/** Adds the options of `tabularium reset`. The names are the fields of `POST /_tabularium/reset`. */
export function addResetOptions(command: Command): Command {
  return command
    .option('--account <name>', 'only this account')
    .option('--table <name>', 'only this table, which stays and is empty')
    .option('--tablePrefix <text>', 'only tables whose names begin with this text')
    .option('--partition <key>', 'only this partition of the table')
    .option('--json', 'print the answer as JSON');
}
