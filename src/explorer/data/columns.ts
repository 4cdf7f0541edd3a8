import { computed, signal } from '@preact/signals';
import type { EdmType } from '../../protocol/values/edm.js';
import { type Entity, propertyOf, systemColumns } from '../base/entity.js';
import { readStored, store } from '../model/preferences.js';
import { account } from '../model/session.js';
import { fitWidth } from '../parts/grid/fit.js';
import { measureText } from '../parts/grid/viewport.js';
import { select } from './query/query.js';
import { loadedEntities, loadedPages } from './rows.js';
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

/** Whether the window is too narrow for columns that stay in place. Both keys share a column then. (600 px is our choice.) */
const narrow = matchMedia('(width < 600px)');

/** Whether both keys are in one column. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => (isNarrow.value = narrow.matches));

/** The bounds of a width that the user chooses. Unit: CSS pixels. */
const [widthMin, widthMax] = [64, 1200];

/** The columns that each entity has and that identify it. */
const keyNames: readonly string[] = ['PartitionKey', 'RowKey'];

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

/** The names of the columns after the keys: those with values in most rows, the others, and the Timestamp. */
const names = computed(() => {
  const own = [...propertyTypes.value.keys()];
  const [frequent, rare] = [own.filter((name) => !isRare(name)), own.filter(isRare)];
  return [...frequent, ...rare, 'Timestamp'];
});

/** Returns whether a column is empty in at least four of five rows. A selected one has its place from the user. */
function isRare(name: string): boolean {
  const rows = loadedPages.value.reduce((sum, page) => sum + page.length, 0);
  return !select.value?.includes(name) && filledOf(name) * 5 <= rows;
}

/** The visible columns of the grid. */
export const columns = computed<readonly Column[]>(() => [
  ...keyNames.map((name) => column(name, ['Edm.String'])),
  ...names.value
    .filter((name) => !layout.value.hidden.has(name))
    .map((name) => column(name, name === 'Timestamp' ? ['Edm.DateTime'] : typesOf(name))),
]);

/** The names of the hidden columns that the entities have. */
export const hiddenColumns = computed(() => names.value.filter((name) => layout.value.hidden.has(name)));

/** Changes the width of a column; undefined fits it to its first values. */
export function setWidth(name: string, width = fitted(name)): void {
  const widths = new Map(layout.value.widths).set(name, Math.round(Math.max(widthMin, Math.min(widthMax, width))));
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

function filledOf(name: string): number {
  return [...(propertyTypes.value.get(name)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
}

function column(name: string, types: readonly EdmType[]): Column {
  const width = layout.value.widths.get(name) ?? firstWidth(name);
  const isFrozen = !isNarrow.value && keyNames.includes(name);
  return { name, types, filled: filledOf(name), width, isFrozen };
}

/** The widths by the first values of each column. They stay while rows are read: nothing moves by itself. */
const firstWidths = new Map<string, number>();

function firstWidth(name: string): number {
  const id = JSON.stringify([account.value?.name, table.value, name]);
  const known = firstWidths.get(id);
  if (known !== undefined) return known;
  const width = fitted(name);
  if (loadedEntities.value.some((entity) => propertyOf(entity, name))) firstWidths.set(id, width);
  return width;
}

/** Returns the width that a column needs for its name and its values. */
function fitted(name: string): number {
  const values = loadedEntities.value.flatMap((entity) => propertyOf(entity, name) ?? []);
  return fitWidth(name, typesOf(name), values, measureText);
}

/** A layout as the browser stores it. Another version is ignored. */
interface StoredLayouts {
  readonly version: 1;
  readonly tables: readonly (readonly [
    name: string,
    widths: readonly (readonly [string, number])[],
    hidden: readonly string[],
  ])[];
}

function change(next: Layout): void {
  layouts.value = new Map(layouts.value).set(table.value ?? '', next);
  const tables = [...layouts.value].slice(-100).map(([name, one]) => [name, [...one.widths], [...one.hidden]]);
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
