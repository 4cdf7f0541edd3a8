import { computed, signal } from '@preact/signals';
import type { EdmType } from '../../protocol/values/edm.js';
import { type Entity, systemColumns } from '../base/entity.js';
import { readStored, store } from '../model/preferences.js';
import { select } from './query/query.js';
import { loadedPages } from './rows.js';
import { table } from './tables.js';

/** A column of the grid. */
export interface Column {
  readonly name: string;
  /** The types of its values in memory, the most frequent first. */
  readonly types: readonly EdmType[];
  /** Number of entities in memory that have it. */
  readonly filled: number;
  /** Unit: CSS pixels. */
  readonly width: number;
  readonly isFrozen: boolean;
}

/** The user's changes to the columns of a table. */
interface Layout {
  readonly widths: ReadonlyMap<string, number>;
  readonly hidden: ReadonlySet<string>;
}

const plain: Layout = { widths: new Map(), hidden: new Set() };

/** Usual width of a column by its type. Unit: CSS pixels. */
const widths: Readonly<Record<EdmType, number>> = {
  'Edm.String': 200,
  'Edm.Boolean': 90,
  'Edm.Int32': 110,
  'Edm.Int64': 180,
  'Edm.Double': 140,
  'Edm.DateTime': 240,
  'Edm.Guid': 300,
  'Edm.Binary': 120,
};

/** Whether the window is too narrow for columns that stay in place: the keys alone would fill it. (600 px is our choice.) */
const narrow = matchMedia('(width < 600px)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => (isNarrow.value = narrow.matches));

/** The bounds of a width. Unit: CSS pixels. */
const widthMin = 64;
const widthMax = 1200;

const layouts = signal<ReadonlyMap<string, Layout>>(readLayouts());

const layout = computed(() => layouts.value.get(table.value ?? '') ?? plain);

/** How often each property has each type. */
type TypeCounts = Map<string, Map<EdmType, number>>;

/** The counts of each page, so that scrolling counts each entity once. */
const counted = new WeakMap<readonly Entity[], TypeCounts>();

/** The names and types of all columns of the entities in memory, and of selected columns. */
const propertyTypes = computed(() => {
  const types: TypeCounts = new Map();
  for (const name of select.value ?? []) types.set(name, new Map());
  for (const page of loadedPages.value) {
    const counts = counted.get(page) ?? countTypes(page);
    counted.set(page, counts);
    for (const [name, ofPage] of counts) for (const [type, count] of ofPage) addCount(types, name, type, count);
  }
  for (const name of systemColumns) types.delete(name);
  return types;
});

function countTypes(page: readonly Entity[]): TypeCounts {
  const types: TypeCounts = new Map();
  for (const { properties } of page) for (const [name, { type }] of properties) addCount(types, name, type, 1);
  return types;
}

function addCount(types: TypeCounts, name: string, type: EdmType, count: number): void {
  const known = types.get(name) ?? new Map<EdmType, number>();
  types.set(name, known.set(type, (known.get(type) ?? 0) + count));
}

/** The visible columns of the grid. */
export const columns = computed<readonly Column[]>(() => [
  column('PartitionKey', ['Edm.String']),
  column('RowKey', ['Edm.String']),
  ...['Timestamp', ...propertyTypes.value.keys()]
    .filter((name) => !layout.value.hidden.has(name))
    .map((name) => (name === 'Timestamp' ? column(name, ['Edm.DateTime']) : column(name, typesOf(name)))),
]);

/** The names of the hidden columns that the entities have. */
export const hiddenColumns = computed(() =>
  ['Timestamp', ...propertyTypes.value.keys()].filter((name) => layout.value.hidden.has(name)),
);

/** Changes the width of a column; undefined fits it to its values. */
export function setWidth(name: string, width: number | undefined): void {
  const widths = new Map(layout.value.widths);
  if (width === undefined) widths.delete(name);
  else widths.set(name, Math.round(Math.max(widthMin, Math.min(widthMax, width))));
  change({ ...layout.value, widths });
}

/** Hides a column, or shows it again. */
export function setHidden(name: string, isHidden: boolean): void {
  const hidden = new Set(layout.value.hidden);
  if (isHidden) hidden.add(name);
  else hidden.delete(name);
  change({ ...layout.value, hidden });
}

/** Restores the default columns of the table. */
export function resetColumns(): void {
  change(plain);
}

function typesOf(name: string): readonly EdmType[] {
  const types = propertyTypes.value.get(name) ?? new Map<EdmType, number>();
  return [...types].sort(([, a], [, b]) => b - a).map(([type]) => type);
}

function column(name: string, types: readonly EdmType[]): Column {
  const isKey = name === 'PartitionKey' || name === 'RowKey';
  const filled = [...(propertyTypes.value.get(name)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const width = layout.value.widths.get(name) ?? (isKey ? 180 : widths[types[0] ?? 'Edm.String']);
  return { name, types, filled, width, isFrozen: isKey && !isNarrow.value };
}

/** A layout as the browser stores it. Another version is ignored. */
interface StoredLayouts {
  readonly version: 1;
  readonly tables: readonly (readonly [string, readonly (readonly [string, number])[], readonly string[]])[];
}

function change(next: Layout): void {
  layouts.value = new Map(layouts.value).set(table.value ?? '', next);
  const tables = [...layouts.value].slice(-100).map(([name, { widths, hidden }]) => [name, [...widths], [...hidden]]);
  store('columns', { version: 1, tables });
}

function readLayouts(): ReadonlyMap<string, Layout> {
  const { tables } = readStored('columns', isStored) ?? { tables: [] };
  return new Map(tables.map(([name, widths, hidden]) => [name, { widths: new Map(widths), hidden: new Set(hidden) }]));
}

function isStored(value: unknown): value is StoredLayouts {
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 1) return false;
  if (!('tables' in value) || !Array.isArray(value.tables)) return false;
  return value.tables.every(
    (one) =>
      Array.isArray(one) &&
      typeof one[0] === 'string' &&
      Array.isArray(one[1]) &&
      one[1].every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'number') &&
      Array.isArray(one[2]) &&
      one[2].every((name) => typeof name === 'string'),
  );
}
