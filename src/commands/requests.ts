import { writeFile } from 'node:fs/promises';
import { textOf } from '../client/http-transport.js';
import { ConfigError, escapeText } from '../config.js';
import type { LogEntry } from '../insight/journal/log-entry.js';
import { selectors } from '../insight/journal/select-entries.js';
import { nameQuery } from '../insight/queries/query-classes.js';
import { askControl, linesIn } from './ask-control.js';
import type { CommandConfig } from './server-options.js';

/** The options of the command, as the command line has them. */
export type RequestsOptions = Readonly<
  Partial<Record<Exclude<(typeof selectors)[number], 'explorer'> | 'har', string>>
> & {
  readonly explorer?: true;
  readonly follow?: true;
  readonly json?: true;
};

/** Prints the requests of the journal of a server; with `follow`, each new one as it comes. `print` gets one line. */
export async function printRequests(
  config: CommandConfig,
  options: RequestsOptions,
  print: (line: string) => void,
): Promise<void> {
  const query = new URLSearchParams();
  for (const name of selectors) {
    const value = options[name];
    if (value !== undefined) query.set(name, String(value));
  }
  if (options.har !== undefined) {
    if (options.follow || options.json) throw new ConfigError('--har writes a file. Leave out --follow and --json.');
    await writeFile(options.har, await textOf(await askControl(config, { path: `/requests.har?${query}` })));
    return;
  }
  const write = options.json ? (entry: LogEntry) => JSON.stringify(entry) : writeLine;
  if (options.follow) {
    query.set('stream', '');
    const answer = await askControl(config, { path: `/requests?${query}` });
    for await (const line of linesIn(answer)) print(writeStreamed(line, write));
    return;
  }
  const answer = await askControl(config, { path: `/requests?${query}` });
  const { requests } = JSON.parse(await textOf(answer)) as { readonly requests: readonly LogEntry[] };
  for (const entry of requests) print(write(entry));
}

function writeStreamed(line: string, write: (entry: LogEntry) => string): string {
  const value = JSON.parse(line) as LogEntry | { readonly Dropped: number };
  return 'Dropped' in value ? `${value.Dropped} requests came too fast and are not shown` : write(value);
}

/** Writes an entry for people: time, status, method, path, code, duration, entities returned and read, class,
 * request id. */
function writeLine(entry: LogEntry): string {
  const { pathname, search } = new URL(entry.Uri, 'http://localhost');
  const words = [
    entry.TimeGenerated.slice(11, 23),
    entry.StatusCode,
    entry.Method,
    `${pathname}${search}`,
    ...(entry.StatusText === 'Success' ? [] : [entry.StatusText]),
    `${entry.DurationMs.toFixed(1)} ms`,
    ...(entry.EntitiesRead === undefined ? [] : [`${entry.EntitiesReturned}/${entry.EntitiesRead}`]),
    ...(entry.Class === undefined ? [] : [nameQuery(entry.Class, entry.Rule)]),
    entry.CorrelationId,
    ...(entry.Mark === undefined ? [] : [`[${entry.Mark}]`]),
  ];
  return escapeText(words.join(' '));
}
