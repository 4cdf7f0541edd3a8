import type { LogEntry } from '../../insight/journal/log-entry.js';
import { nameQuery } from '../../insight/queries/query-classes.js';

/** Returns the line about a request: time, status, method, path, code, duration, entities returned and read, class, request ID. */
export function requestLine(entry: LogEntry): string {
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
  return words.join(' ');
}
