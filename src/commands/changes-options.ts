import type { Command } from 'commander';

/** Adds the options of `tabularium changes`. The names are those of the query of `/_tabularium/changes`. */
export function addChangesOptions(command: Command): Command {
  return command
    .option('--since <place>', 'only changes after a mark, as the name of a test, or after the position of a change')
    .option('--until <place>', 'only changes before a mark, or up to the position of a change')
    .option('--account <name>', 'only this account')
    .option('--table <name>', 'only this table')
    .option('--byTable', 'print them table by table, as what a test wrote between two marks')
    .option('--follow', 'go on with each new change, until the server stops or Ctrl+C')
    .option('--json', 'print one JSON value on each line');
}
