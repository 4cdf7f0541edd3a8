import { computed, signal } from '@preact/signals';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { route, setParams } from '../model/route.js';
import { entries, held } from './feed.js';

/** The choices that narrow the list. They are in the address. */
export type ChoiceName = 'status' | 'class' | 'op' | 'account' | 'table' | 'text' | 'explorer';

/** The choice of `account` that shows the requests of all accounts; without one, the list shows those of the page's account. */
export const allAccounts = '*';

/** A line of the list: one request, or several similar ones in a row. */
export interface RequestRow {
  /** The ID of its oldest request, by which a growing line is known. */
  readonly id: string;
  /** The newest request. */
  readonly entry: LogEntry;
  /** The requests of the line, the oldest first. */
  readonly group: readonly LogEntry[];
  /** Whether it is one request of an open group. */
  readonly isMember: boolean;
}

/** Returns a choice; empty for everything. */
export function chosen(name: ChoiceName): string {
  return route.value.params.get(name) ?? '';
}

/** Narrows the list. */
export function choose(name: ChoiceName, value: string): void {
  setParams({ [name]: value });
}

/** The tables of the last keys: each delivery compares thousands of requests. */
const tables = new Map<string, string>();

/** Most keys with a known table. (Our choice: twice as many as there are requests.) */
const tablesMax = 8192;

/** Returns the table of a request. */
export function tableOf({ ObjectKey = '' }: LogEntry): string | undefined {
  const known = tables.get(ObjectKey);
  if (known !== undefined || ObjectKey === '') return known;
  const table = ObjectKey.split('/')[2]?.split('(')[0];
  if (tables.size > tablesMax) tables.clear();
  if (table !== undefined) tables.set(ObjectKey, table);
  return table;
}

/** Returns the filter of a request as it was sent. */
export function filterOf({ Uri }: LogEntry): string | undefined {
  return URL.canParse(Uri) ? (new URL(Uri).searchParams.get('$filter') ?? undefined) : undefined;
}

/** The groups whose single requests are listed, by the ID of their line. */
export const openGroups = signal<ReadonlySet<string>>(new Set());

/** Lists the single requests of a group, or takes them away. */
export function toggleGroup(id: string): void {
  const next = new Set(openGroups.value);
  if (!next.delete(id)) next.add(id);
  openGroups.value = next;
}

/** The lines of the chosen requests, the newest first. Neighbors that differ only in keys and values are one line. */
export const rows = computed<readonly RequestRow[]>(() => {
  const groups: LogEntry[][] = [];
  for (const entry of entries.value.filter(isChosen.value)) {
    const group = groups.at(-1);
    if (group?.[0] && isLike(group[0], entry)) group.push(entry);
    else groups.push([entry]);
  }
  return groups.reverse().flatMap((group) => {
    const [id = '', entry] = [group[0]?.CorrelationId, group.at(-1)];
    if (!entry) return [];
    const members = group.length > 1 && openGroups.value.has(id) ? group.toReversed() : [];
    return [
      { id, entry, group, isMember: false },
      ...members.map((one) => ({ id: `one ${one.CorrelationId}`, entry: one, group: [one], isMember: true })),
    ];
  });
});

/** Number of chosen requests that wait while the list is held. */
export const heldCount = computed(() => held.value.filter(isChosen.value).length);

/** Returns the values of a field in the known requests, sorted. */
export function knownValues(name: 'OperationName' | 'Class' | 'AccountName'): readonly string[] {
  return [...new Set(entries.value.map((entry) => entry[name]))].filter((value) => value !== undefined).sort();
}

/** Says of a request whether it is chosen. The choices are read once, not for each of thousands of requests. */
const isChosen = computed(() => {
  const [status, queryClass, op, explorer] = [chosen('status'), chosen('class'), chosen('op'), chosen('explorer')];
  const [table, text] = [chosen('table').toLowerCase(), chosen('text').toLowerCase()];
  const account = chosen('account') || route.value.account;
  return (entry: LogEntry) =>
    (explorer !== '' || !entry.Explorer) &&
    // A request that names no account of this server is listed in each.
    (account === allAccounts || entry.AccountName === undefined || entry.AccountName === account) &&
    (queryClass === '' || entry.Class === queryClass) &&
    (op === '' || entry.OperationName === op) &&
    (status === '' || entry.StatusCode[0] === status[0]) &&
    (table === '' || (tableOf(entry)?.toLowerCase() ?? '').includes(table)) &&
    (text === '' || textOf(entry).includes(text));
});

function textOf(entry: LogEntry): string {
  const { Uri, CorrelationId, ClientRequestId, StatusText, UserAgentHeader, Mark, Why } = entry;
  return [Uri, CorrelationId, ClientRequestId, StatusText, UserAgentHeader, Mark, Why].join(' ').toLowerCase();
}

/** The fields in which the requests of a group are equal. */
const groupFields = [
  'StatusCode',
  'OperationName',
  'Shape',
  'Class',
  'Mark',
  'Fault',
  'UserAgentHeader',
  'AccountName',
] as const;

/** Rejected requests stay apart: each has its own explanation. */
function isLike(a: LogEntry, b: LogEntry): boolean {
  return b.StatusCode < '400' && groupFields.every((name) => a[name] === b[name]) && tableOf(a) === tableOf(b);
}
