import { computed, signal } from '@preact/signals';
import type { EdmType } from '../../protocol/values/edm.js';
import { propertyOf, systemColumns } from '../base/entity.js';
import { readStored, store } from '../model/preferences.js';
import { account } from '../model/session.js';
import { fitWidth } from '../parts/grid/fit.js';
import { measureText } from '../parts/grid/viewport.js';
import { select } from './query/query.js';
import { loadedEntities } from './rows.js';
import { table } from './tables.js';

/** A column of the grid. */
export interface Column {
  readonly name: string;
  /** The types of its values in memory, the most frequent first. */
  readonly types: readonly EdmType[];
  /** Number of entities in memory that have it. */
  readonly filled: number;
}

/** Whether the window is too narrow for columns that stay in place. Both keys share a column then. (600 px is our choice.) */
const narrow = matchMedia('(width < 600px)');

/** Whether both keys are in one column. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => (isNarrow.value = narrow.matches));

/** The bounds of a width that the user chooses. Unit: CSS pixels. */
const [widthMin, widthMax] = [64, 1200];

/** The user's widths, by table and column: 0 hides a column. Unit: CSS pixels. */
const widths = signal<Readonly<Record<string, number>>>(readStored('widths', areWidths) ?? {});

function areWidths(value: unknown): value is Readonly<Record<string, number>> {
  return typeof value === 'object' && value !== null && Object.values(value).every(Number.isFinite);
}

function placeOf(name: string): string {
  return `${table.value}/${name}`;
}

/** How often each property has each type, in the entities in memory. A selected one has its place from the user. */
const typeCounts = computed(() => {
  const counts = new Map((select.value ?? []).map((name) => [name, new Map<EdmType, number>()]));
  for (const { properties } of loadedEntities.value) {
    for (const [name, { type }] of properties) {
      const types = counts.get(name) ?? new Map<EdmType, number>();
      counts.set(name, types.set(type, (types.get(type) ?? 0) + 1));
    }
  }
  for (const name of systemColumns) counts.delete(name);
  return counts;
});

/** The names in the order in which they were first shown. It stays until another query begins: nothing moves by itself. */
let shownNames: readonly string[] = [];

/** All columns: the keys, those with values in most rows, the others, later ones, and the Timestamp. */
const allColumns = computed<readonly Column[]>(() => {
  const filled = loadedEntities.value.length;
  const own = [...typeCounts.value].map(([name, counts]) => ({
    name,
    types: [...counts].sort(([, a], [, b]) => b - a).map(([type]) => type),
    filled: [...counts.values()].reduce((sum, count) => sum + count, 0),
  }));
  // Empty in at least four of five rows.
  const isRare = (one: Column) => !select.value?.includes(one.name) && one.filled * 5 <= filled;
  const named = new Map(own.sort((a, b) => Number(isRare(a)) - Number(isRare(b))).map((one) => [one.name, one]));
  shownNames = filled === 0 ? [] : [...new Set([...shownNames, ...named.keys()])];
  return [
    ...(['PartitionKey', 'RowKey'] as const).map((name) => ({ name, types: ['Edm.String'] as const, filled })),
    ...shownNames.map((name) => named.get(name) ?? { name, types: [], filled: 0 }),
    { name: 'Timestamp', types: ['Edm.DateTime'], filled },
  ];
});

/** The visible columns of the grid. */
export const columns = computed(() => allColumns.value.filter(({ name }) => widths.value[placeOf(name)] !== 0));

/** The names of the hidden columns that the entities have. */
export const hiddenColumns = computed(() =>
  allColumns.value.flatMap(({ name }) => (widths.value[placeOf(name)] === 0 ? [name] : [])),
);

/** Changes the width of a column; undefined fits it to its first values. */
export function setWidth(name: string, width = fitted(name)): void {
  change(name, Math.round(Math.max(widthMin, Math.min(widthMax, width))));
}

/** Hides a column, or shows it again. */
export function setHidden(name: string, isHidden: boolean): void {
  change(name, isHidden ? 0 : undefined);
}

function change(name: string, width: number | undefined): void {
  const { [placeOf(name)]: _before, ...others } = widths.value;
  widths.value = { ...others, ...(width !== undefined && { [placeOf(name)]: width }) };
  store('widths', widths.value);
}

/** The widths by the first values of each column. They stay while rows are read: nothing moves by itself. */
const firstWidths = new Map<string, number>();

/** Returns the width of a column: the user's, or the one for its first values. */
export function widthOf(name: string): number {
  const id = JSON.stringify([account.value?.name, table.value, name]);
  const known = widths.value[placeOf(name)] ?? firstWidths.get(id);
  if (known !== undefined) return known;
  const width = fitted(name);
  if (loadedEntities.value.some((entity) => propertyOf(entity, name))) firstWidths.set(id, width);
  return width;
}

/** Returns the width that a column needs for its name and its values. */
function fitted(name: string): number {
  const values = loadedEntities.value.flatMap((entity) => propertyOf(entity, name) ?? []);
  return fitWidth(name, [...(typeCounts.value.get(name)?.keys() ?? [])], values, measureText);
}

/** Returns the types of the values of a column, the most frequent first. */
export function typesOf(name: string): readonly EdmType[] {
  return allColumns.value.find((one) => one.name === name)?.types ?? [];
}
