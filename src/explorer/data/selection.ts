import { computed, signal } from '@preact/signals';
import { type Entity, idOf } from '../client/entity.js';

/** The entities that are selected, by their keys. */
export const selection = signal<ReadonlyMap<string, Entity>>(new Map());

/** How many are selected. */
export const selectedCount = computed(() => selection.value.size);

/** Selects an entity, or stops to. */
export function toggleSelected(entity: Entity): void {
  const next = new Map(selection.value);
  if (!next.delete(idOf(entity))) next.set(idOf(entity), entity);
  selection.value = next;
}

/** Selects these entities, in addition to those that are. */
export function selectAll(entities: Iterable<Entity>): void {
  const next = new Map(selection.value);
  for (const entity of entities) next.set(idOf(entity), entity);
  selection.value = next;
}

/** Selects nothing. */
export function clearSelection(): void {
  if (selection.value.size > 0) selection.value = new Map();
}
