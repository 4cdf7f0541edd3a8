import { computed } from '@preact/signals';
import { type Entity, idOf, propertyOf } from '../base/entity.js';
import { compareValues, hasText } from '../base/order.js';
import { route, setParams } from '../model/route.js';
import { loadedEntities } from './rows.js';

/** The order of the rows read, from the address: the service itself cannot sort. */
const sort = computed(() => {
  const text = route.value.params.get('sort') ?? '';
  return text === '' ? undefined : { name: text.replace(/^-/, ''), isDown: text.startsWith('-') };
});

/** The text to find in the rows read, from the address. */
export const find = computed(() => route.value.params.get('find') ?? '');

/** Changes with the rows that come, go or are in another order, and with no value. */
export const order = computed(() => loadedEntities.value.map(idOf).join('\n'));

/**
 * The positions of the rows that are shown, in their order; undefined for all rows as the service returns them. A change of a value moves no
 * row: only rows that come or go do, or another sort or text.
 */
export const positions = computed<readonly number[] | undefined>(() => {
  const [by, part] = [sort.value, find.value.toLowerCase()];
  if (!by && part === '') return undefined;
  void order.value;
  const rows = [...loadedEntities.peek().entries()];
  const found = part === '' ? rows : rows.filter(([, entity]) => matches(entity, part));
  if (by) {
    found.sort(([i, a], [j, b]) => compareValues(propertyOf(a, by.name), propertyOf(b, by.name), by.isDown) || i - j);
  }
  return found.map(([position]) => position);
});

function matches(entity: Entity, part: string): boolean {
  const keys = [entity.partitionKey, entity.rowKey].map((text) => ({ type: 'Edm.String' as const, text }));
  return [...keys, ...entity.properties.values()].some((value) => hasText(value, part));
}

/** Returns the direction in which the rows are sorted by a column. */
export function sortedAs(name: string): 'ascending' | 'descending' | undefined {
  if (sort.value?.name !== name) return undefined;
  return sort.value.isDown ? 'descending' : 'ascending';
}

/** Sorts the rows read by a column; undefined leaves them in the order of the service. */
export function sortBy(name: string, direction: 'ascending' | 'descending' | undefined): void {
  setParams({ sort: direction && `${direction === 'descending' ? '-' : ''}${name}` });
}

/** Sorts by a column: up, then down, then not. */
export function sortNext(name: string): void {
  const sorted = sortedAs(name);
  sortBy(name, sorted === undefined ? 'ascending' : sorted === 'ascending' ? 'descending' : undefined);
}
