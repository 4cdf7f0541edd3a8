import { allAccounts, chosen, filterOf, type RequestRow, tableOf } from './rows.js';

/** A column of the list. */
export interface RequestColumn {
  readonly id: string;
  /** Unit: CSS pixels. */
  readonly width: number;
  text(row: RequestRow): string | undefined;
  /** Returns the classes of a cell. */
  kind?(row: RequestRow): string;
}

const number = () => 'number';

/** The columns, those that say the most first. */
const columns: readonly RequestColumn[] = [
  { id: 'Status', width: 64, text: ({ entry }) => entry.StatusCode, kind: kindOfRejected },
  { id: 'Operation', width: 156, text: ({ entry }) => entry.OperationName ?? entry.Method },
  { id: 'Table', width: 120, text: ({ entry }) => tableOf(entry) },
  { id: 'What', width: 360, text: whatOf, kind: kindOfRejected },
  {
    id: 'Class',
    width: 112,
    text: ({ entry }) => entry.Class?.replaceAll('-', ' '),
    kind: ({ entry }) => (isScan(entry.Class) ? 'scan' : ''),
  },
  { id: 'Read', width: 64, text: ({ group }) => readOf(group)?.toLocaleString('en'), kind: number },
  { id: 'ms', width: 64, text: ({ entry }) => entry.DurationMs.toFixed(1), kind: number },
  { id: 'Bytes', width: 72, text: ({ entry }) => entry.ResponseBodySize.toLocaleString('en'), kind: number },
  { id: 'Time', width: 104, text: ({ entry }) => timeOf(entry.TimeGenerated), kind: () => 'code' },
  { id: 'Mark', width: 140, text: ({ entry }) => entry.Mark },
  { id: 'Account', width: 130, text: ({ entry }) => entry.AccountName },
];

/** Returns the columns for a window of this width, and for the chosen accounts. */
export function columnsFor(isNarrow: boolean): readonly RequestColumn[] {
  if (isNarrow) return columns.filter(({ id }) => /^(?:Status|Operation|What)$/.test(id));
  return columns.filter(({ id }) => id !== 'Account' || chosen('account') === allAccounts);
}

/** Returns whether a query of this class reads more than it needs. */
export function isScan(name: string | undefined): boolean {
  return name !== undefined && /-scan$|^partition-range$|^cross-/.test(name);
}

function kindOfRejected({ entry }: RequestRow): string {
  return entry.StatusCode >= '400' ? 'rejected' : '';
}

/** Returns the most telling words about a request: why it was rejected, its filter, or its keys. */
function whatOf({ entry }: RequestRow): string {
  const { StatusCode, StatusText, Why, Fault, ObjectKey = '' } = entry;
  const fault = Fault === undefined ? '' : `⚡ ${Fault} `;
  if (StatusCode >= '400') return `${fault}${StatusText}${Why === undefined ? '' : `: ${Why}`}`;
  const [, keys = ''] = /\((.*)\)$/s.exec(ObjectKey) ?? [];
  return fault + (filterOf(entry) ?? keys.replace(/(?:PartitionKey|RowKey)=/g, ''));
}

function readOf(group: RequestRow['group']): number | undefined {
  if (group[0]?.EntitiesRead === undefined) return undefined;
  return group.reduce((sum, { EntitiesRead = 0 }) => sum + EntitiesRead, 0);
}

/** Returns the time of day of the user, with milliseconds. */
export function timeOf(generated: string): string {
  const time = new Date(generated);
  return `${time.toLocaleTimeString('en-GB')}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
