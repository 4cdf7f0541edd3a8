import type { Command } from 'commander';

const list = (text: string, before: readonly string[] = []) => [...before, ...text.split(',').map((one) => one.trim())];

/** Explains the ends of a copy, after the options. */
const notes = `
An end is
  -                  the running Tabularium (the default of [to])
  $NAME              the value of this variable, so that no secret is on the command line; in quotes, or the shell replaces it
  connection string  also with SharedAccessSignature, AccountEndpoint or UseDevelopmentStorage=true
  https://ACCOUNT.table.core.windows.net[/TABLE][?SIGNATURE]
                     also *.table.cosmos.azure.com; without a signature with a token: TABULARIUM_COPY_TOKEN, or that of az
  people.csv, backup.ndjson, backup/
                     files as those of an export; a copy writes NDJSON
  FOLDER, postgres://user@host/name
                     the data of a Tabularium that is not running; a new folder as FOLDER/tabularium-data

The exit code is 0 if everything is copied and verified, 1 if entities were rejected or differ, or if a mask matched none, 2 if the copy
cannot be done, and 130 or 143 if it was interrupted. The same command then continues it.
Keys and passwords are better in variables: other users can read command lines.`;

/** Adds the options of `tabularium copy`. */
export function addCopyOptions(command: Command): Command {
  return command
    .argument('<from>', 'source')
    .argument('[to]', 'target', '-')
    .option('--table <names>', 'only these tables; * stands for any part of a name; repeatable', list)
    .option('--account <name>', 'account of data with several')
    .option('--filter <filter>', 'only the entities that this $filter finds')
    .option('--select <names>', 'only these properties, beside the keys', list)
    .option('--omit <names>', 'without these properties; TABLE.NAME for one table', list)
    .option(
      '--mask <names>',
      'other values of the same type and length for these properties; the same value has the same mask in every table (key: TABULARIUM_MASK_KEY; by default, each copy has a new one)',
      list,
    )
    .option('--limit <rows>', 'at most this many entities of each table')
    .option('--sample <percent>', 'only this part of the partitions, the same ones in every table', '100%')
    .option('--rename <old=new>', 'another name for a table; repeatable', list)
    .option('--settings', 'also the service properties of the account: CORS, logging, metrics')
    .option(
      '--mode <mode>',
      'entities that exist: insert (report those with other values), skip, merge, replace',
      'insert',
    )
    .option('--dryRun', 'read, check and count; write nothing')
    .option('--compare', 'only compare the ends, and list the differences')
    .option('--noVerify', 'do not read the target again')
    .option('--transfers <count>', 'requests in flight for each end; fewer while a service is busy', '16')
    .option('--state <file>', 'file from which an interrupted copy continues (default: tabularium-copy-ID.json)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', notes);
}
