import { computed } from '@preact/signals';
import type { Entity } from '../../client/entity.js';
import { shownPositions } from '../query/facets.js';
import { progress, rowAt } from '../rows.js';

/** How many rows the grid has: the entities that were read, or those of the type that is shown. */
export const rowCount = computed(() => shownPositions.value?.length ?? progress.value.returned);

/** Returns the position of a row of the grid among the entities that were read. */
export function positionOf(row: number): number {
  return shownPositions.value?.[row] ?? row;
}

/** Returns the entity in a row of the grid; undefined while it is read again. */
export function entityInRow(row: number): Entity | undefined {
  return row < 0 ? undefined : rowAt(positionOf(row));
}
