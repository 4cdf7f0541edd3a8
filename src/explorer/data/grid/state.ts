import { computed } from '@preact/signals';
import { type Entity, idOf } from '../../base/entity.js';
import { account } from '../../model/session.js';
import { type GridState, gridState } from '../../parts/grid/source.js';
import { loadedEntities } from '../rows.js';
import { table } from '../tables.js';

const states = new Map<string, GridState>();

/** The user's state in the grid of the current table. It stays while other places are shown. */
export const state = computed(() => {
  const place = JSON.stringify([account.value?.name, table.value]);
  const known = states.get(place) ?? gridState();
  states.set(place, known);
  return known;
});

/** The entities that were picked before, because their pages may leave the memory. */
let last: ReadonlyMap<string, Entity> = new Map();

/** The selected entities, by their keys. */
export const selection = computed<ReadonlyMap<string, Entity>>(() => {
  const ids = state.value.picked.value;
  if (ids.size === 0) {
    last = new Map();
    return last;
  }
  const picked = new Map([...last].filter(([id]) => ids.has(id)));
  for (const entity of loadedEntities.value) if (ids.has(idOf(entity))) picked.set(idOf(entity), entity);
  last = picked;
  return picked;
});

/** The number of selected entities. */
export const selectedCount = computed(() => selection.value.size);

/** Clears the selection. */
export function clearSelection(): void {
  if (state.value.picked.value.size > 0) state.value.picked.value = new Set();
}
