import { computed } from '@preact/signals';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import { route, setParams } from '../model/route.js';
import { entries, held } from './feed.js';

/** The choices that narrow the list. They are in the address. */
export type ChoiceName = 'status' | 'class' | 'op' | 'account' | 'table' | 'text' | 'explorer';

/** The choice of `account` that shows the requests of all accounts; without one, the list shows those of the page's account. */
export const allAccounts = '*';

/** Returns a choice; empty for everything. */
export function chosen(name: ChoiceName): string {
  return route.value.params.get(name) ?? '';
}

/** Narrows the list. */
export function choose(name: ChoiceName, value: string): void {
  setParams({ [name]: value });
}

/** Returns the table of a request. */
export function tableOf({ ObjectKey = '' }: LogEntry): string | undefined {
  return ObjectKey.split('/')[2]?.split('(')[0];
}

/** Returns the filter of a request as it was sent. */
export function filterOf({ Uri }: LogEntry): string | undefined {
  return URL.canParse(Uri) ? (new URL(Uri).searchParams.get('$filter') ?? undefined) : undefined;
}

/** The chosen requests, the newest first. */
export const rows = computed(() => entries.value.filter(isChosen.value).reverse());

/** Number of chosen requests that wait while the list is held. */
export const heldCount = computed(() => held.value.filter(isChosen.value).length);

/** Returns the values of a field in the known requests, sorted. */
export function knownValues(name: 'OperationName' | 'Class'): readonly string[] {
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
