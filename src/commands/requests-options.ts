import type { Command } from 'commander';

/** Adds the options of `tabularium requests`. The names are those of the query of `/_tabularium/requests`. */
export function addRequestsOptions(command: Command): Command {
  return command
    .option('--follow', 'go on with each new request, until the server stops or Ctrl+C')
    .option('--status <status>', 'only this status, as 404, or this kind of status, as 4xx')
    .option('--class <class>', 'only this class of query, as table-scan')
    .option('--op <operation>', 'only this operation, as QueryEntities')
    .option('--table <name>', 'only this table')
    .option('--client <text>', 'only clients with this text in their User-Agent, or with this address')
    .option('--mark <text>', 'only requests after a mark with this text, as the name of a test')
    .option('--text <text>', 'only requests with this text in their path, query, code or request id')
    .option('--explorer', 'also the requests of the page for browsers')
    .option('--limit <count>', 'how many of the newest requests (default 200)')
    .option('--after <position>', 'only requests after this position in the journal')
    .option('--before <position>', 'only requests before this position in the journal')
    .option('--har <file>', 'write them to a file, as an HTTP Archive')
    .option('--json', 'print one JSON value on each line, with the field names of StorageTableLogs');
}
