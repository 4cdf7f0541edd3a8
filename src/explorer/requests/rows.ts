import { computed } from '@preact/signals';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { route, setParams } from '../model/route.js';
import { entries } from './feed.js';

/** The choices that narrow the list. They are in the address. */
export type ChoiceName = 'status' | 'class' | 'op' | 'account' | 'table' | 'text' | 'explorer';

/** A line of the list: one request, or several similar ones in a row. */
export interface RequestRow {
  /** The oldest request of the line, by which the line is known while it grows. */
  readonly first: LogEntry;
  readonly entry: LogEntry;
  /** Number of requests in the line. */
  readonly count: number;
  readonly read: number;
  readonly returned: number;
}

/** Returns a choice; empty for everything. */
export function chosen(name: ChoiceName): string {
  return route.value.params.get(name) ?? '';
}

/** Narrows the list. */
export function choose(name: ChoiceName, value: string): void {
  setParams({ [name]: value });
}

/** Returns the table of a request. */
export function tableOf({ ObjectKey }: LogEntry): string | undefined {
  return ObjectKey?.split('/')[2]?.split('(')[0];
}

/** Returns the filter of a request as it was sent. */
export function filterOf({ Uri }: LogEntry): string | undefined {
  return URL.canParse(Uri) ? (new URL(Uri).searchParams.get('$filter') ?? undefined) : undefined;
}

/** The chosen requests, the newest first. Neighbors that differ only in keys and values are one line. */
export const rows = computed<readonly RequestRow[]>(() => {
  const lines: RequestRow[] = [];
  for (const entry of entries.value.filter(isChosen)) {
    const last = lines.at(-1);
    if (last && isLike(last.entry, entry)) lines[lines.length - 1] = addTo(last, entry);
    else
      lines.push({
        first: entry,
        entry,
        count: 1,
        read: entry.EntitiesRead ?? 0,
        returned: entry.EntitiesReturned ?? 0,
      });
  }
  return lines.reverse();
});

/** The operations of the known requests, sorted. */
export const knownOperations = computed(() => valuesOf(({ OperationName }) => OperationName));

/** The query classes of the known requests, sorted. */
export const knownClasses = computed(() => valuesOf(({ Class }) => Class));

/** The accounts of the known requests, sorted. */
export const knownAccounts = computed(() => valuesOf(({ AccountName }) => AccountName));

function valuesOf(read: (entry: LogEntry) => string | undefined): readonly string[] {
  return [...new Set(entries.value.map(read))].filter((value) => value !== undefined).sort();
}

function isChosen(entry: LogEntry): boolean {
  const [status, queryClass, op, account, table, text] = [
    chosen('status'),
    chosen('class'),
    chosen('op'),
    chosen('account'),
    chosen('table').toLowerCase(),
    chosen('text').toLowerCase(),
  ];
  return (
    (chosen('explorer') !== '' || !entry.Explorer) &&
    (status === '' || entry.StatusCode[0] === status[0]) &&
    (queryClass === '' || entry.Class === queryClass) &&
    (op === '' || entry.OperationName === op) &&
    (account === '' || entry.AccountName === account) &&
    (table === '' || tableOf(entry)?.toLowerCase() === table) &&
    (text === '' || textOf(entry).includes(text))
  );
}

function textOf(entry: LogEntry): string {
  const { Uri, CorrelationId, ClientRequestId, StatusText, UserAgentHeader, Mark, Why } = entry;
  return [Uri, CorrelationId, ClientRequestId, StatusText, UserAgentHeader, Mark, Why].join(' ').toLowerCase();
}

/** Rejected requests stay apart: each has its own explanation. */
function isLike(a: LogEntry, b: LogEntry): boolean {
  return (
    b.StatusCode < '400' &&
    a.StatusCode === b.StatusCode &&
    a.OperationName === b.OperationName &&
    a.Shape === b.Shape &&
    a.Class === b.Class &&
    a.Mark === b.Mark &&
    a.Fault === b.Fault &&
    a.UserAgentHeader === b.UserAgentHeader &&
    a.AccountName === b.AccountName &&
    tableOf(a) === tableOf(b)
  );
}

function addTo({ first, count, read, returned }: RequestRow, entry: LogEntry): RequestRow {
  return {
    first,
    entry,
    count: count + 1,
    read: read + (entry.EntitiesRead ?? 0),
    returned: returned + (entry.EntitiesReturned ?? 0),
  };
}
