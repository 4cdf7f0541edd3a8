import { computed, signal } from '@preact/signals';
import type { LogEntry } from '../../insight/journal/log-entry.js';
import type { GridColumn } from '../parts/grid/source.js';
import { isScan } from '../parts/list.js';
import { allAccounts, type ChoiceName, chosen, filterOf, tableOf } from './rows.js';

/** A column of the list. */
export interface RequestColumn extends GridColumn {
  /** The choice that narrows the list to one of its values. */
  readonly choice?: ChoiceName;
  text(entry: LogEntry): string | undefined;
  /** Returns the classes of a cell. */
  kind?(entry: LogEntry): string;
}

const number = () => 'number';
const scanOf = ({ Class = '' }: LogEntry) => (isScan(Class) ? 'scan' : '');
const rejected = ({ StatusCode }: LogEntry) => (StatusCode >= '400' ? 'rejected' : '');

/** All columns, those that say the most first. */
export const allColumns: readonly RequestColumn[] = [
  { id: 'Status', width: 68, choice: 'status', text: ({ StatusCode }) => StatusCode, kind: rejected },
  { id: 'Operation', width: 142, choice: 'op', text: ({ OperationName, Method }) => OperationName ?? Method },
  { id: 'What', width: 200, text: whatOf, kind: rejected },
  { id: 'Table', width: 120, choice: 'table', text: tableOf },
  { id: 'Class', width: 112, choice: 'class', text: ({ Class }) => Class?.replaceAll('-', ' '), kind: scanOf },
  { id: 'Read', width: 64, text: ({ EntitiesRead }) => EntitiesRead?.toLocaleString('en'), kind: number },
  { id: 'ms', width: 64, text: ({ DurationMs }) => DurationMs.toFixed(1), kind: number },
  { id: 'Bytes', width: 72, text: ({ ResponseBodySize }) => ResponseBodySize.toLocaleString('en'), kind: number },
  { id: 'Time', width: 116, text: timeOf, kind: () => 'code' },
  { id: 'Mark', width: 120, choice: 'text', text: ({ Mark }) => Mark },
  { id: 'Account', width: 130, text: ({ AccountName }) => AccountName },
];

const smallWindow = matchMedia('(width < 640px)');
const isSmall = signal(smallWindow.matches);
smallWindow.addEventListener('change', () => (isSmall.value = smallWindow.matches));

/** The columns for the width of the window and for the chosen accounts. `What` takes the rest of the width. */
export const columns = computed(() =>
  allColumns.filter(({ id }) =>
    isSmall.value ? /^(?:Status|Operation|What)$/.test(id) : id !== 'Account' || chosen('account') === allAccounts,
  ),
);

/** Returns the most telling words about a request: why it was rejected, its filter, or its keys. */
function whatOf(entry: LogEntry): string {
  const { StatusCode, StatusText, Why, Fault, ObjectKey = '' } = entry;
  const fault = Fault === undefined ? '' : `⚡ ${Fault} `;
  // The short name of a cause may be the code itself.
  if (StatusCode >= '400') return fault + [StatusText, Why?.replace(`${StatusText}: `, '')].filter(Boolean).join(': ');
  const [, keys = ''] = /\((.*)\)$/s.exec(ObjectKey) ?? [];
  return fault + (filterOf(entry) ?? keys.replace(/(?:PartitionKey|RowKey)=/g, ''));
}

/** Returns the time of day of the user, with milliseconds. */
function timeOf({ TimeGenerated }: LogEntry): string {
  const time = new Date(TimeGenerated);
  return `${time.toLocaleTimeString('en-GB')}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
