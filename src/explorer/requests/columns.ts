import { computed, signal } from '@preact/signals';
import { allAccounts, type ChoiceName, chosen, filterOf, type RequestRow, tableOf } from './rows.js';

/** A column of the list. */
export interface RequestColumn {
  readonly id: string;
  /** Unit: CSS pixels. */
  readonly width: number;
  /** The choice that narrows the list to one of its values. */
  readonly choice?: ChoiceName;
  text(row: RequestRow): string | undefined;
  /** Returns the classes of a cell. */
  kind?(row: RequestRow): string;
}

const number = () => 'number';
const rejected = ({ entry }: RequestRow) => (entry.StatusCode >= '400' ? 'rejected' : '');

/** All columns, those that say the most first. */
const all: readonly RequestColumn[] = [
  { id: 'Status', width: 68, choice: 'status', text: ({ entry }) => entry.StatusCode, kind: rejected },
  { id: 'Operation', width: 142, choice: 'op', text: ({ entry }) => entry.OperationName ?? entry.Method },
  { id: 'Table', width: 120, choice: 'table', text: ({ entry }) => tableOf(entry) },
  { id: 'What', width: 200, text: whatOf, kind: rejected },
  { id: 'Class', width: 112, choice: 'class', text: ({ entry }) => entry.Class?.replaceAll('-', ' '), kind: scanOf },
  { id: 'Read', width: 64, text: ({ group }) => readOf(group)?.toLocaleString('en'), kind: number },
  { id: 'ms', width: 64, text: ({ entry }) => entry.DurationMs.toFixed(1), kind: number },
  { id: 'Bytes', width: 72, text: ({ entry }) => entry.ResponseBodySize.toLocaleString('en'), kind: number },
  { id: 'Time', width: 116, text: ({ entry }) => timeOf(entry.TimeGenerated), kind: () => 'code' },
  { id: 'Mark', width: 120, choice: 'text', text: ({ entry }) => entry.Mark },
  { id: 'Account', width: 130, text: ({ entry }) => entry.AccountName },
];

const smallWindow = matchMedia('(width < 640px)');
const isSmall = signal(smallWindow.matches);
smallWindow.addEventListener('change', () => (isSmall.value = smallWindow.matches));

/** The widths that the user has chosen. */
const widths = signal<ReadonlyMap<string, number>>(new Map());

/** Changes the width of a column; undefined restores it. */
export function setWidth(id: string, width = 0): void {
  widths.value = new Map(widths.value).set(id, width === 0 ? 0 : Math.max(40, width));
}

/** The columns for the width of the window and for the chosen accounts. `What` takes the rest of the width. */
export const columns = computed<readonly RequestColumn[]>(() =>
  all
    .filter(({ id }) =>
      isSmall.value ? /^(?:Status|Operation|What)$/.test(id) : id !== 'Account' || chosen('account') === allAccounts,
    )
    .map((column) => ({ ...column, width: widths.value.get(column.id) || column.width })),
);

/** Returns the class of a query that reads more than it needs. */
function scanOf({ entry: { Class = '' } }: RequestRow): string {
  return /-scan$|^partition-range$|^cross-/.test(Class) ? 'scan' : '';
}

/** Returns the most telling words about a request: why it was rejected, its filter, or its keys. */
function whatOf({ entry }: RequestRow): string {
  const { StatusCode, StatusText, Why, Fault, ObjectKey = '' } = entry;
  const fault = Fault === undefined ? '' : `⚡ ${Fault} `;
  // The short name of a cause may be the code itself.
  if (StatusCode >= '400') return fault + [StatusText, Why?.replace(`${StatusText}: `, '')].filter(Boolean).join(': ');
  const [, keys = ''] = /\((.*)\)$/s.exec(ObjectKey) ?? [];
  return fault + (filterOf(entry) ?? keys.replace(/(?:PartitionKey|RowKey)=/g, ''));
}

function readOf(group: RequestRow['group']): number | undefined {
  if (group[0]?.EntitiesRead === undefined) return undefined;
  return group.reduce((sum, { EntitiesRead = 0 }) => sum + EntitiesRead, 0);
}

/** Returns the time of day of the user, with milliseconds. */
function timeOf(generated: string): string {
  const time = new Date(generated);
  return `${time.toLocaleTimeString('en-GB')}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
