import type { FoundTable, Layer } from '../directories/table-directory.js';
import type { LayerList } from './rows-users.js';

/** The layers that a table, a snapshot or a reader uses, nearest first. */
export interface LayerUse {
  readonly layers: LayerList;
  readonly table?: FoundTable;
  /** Whether it is a reader, which keeps its layers. */
  readonly isHold?: boolean;
}

/** Two layers, one of which can be merged into the other, because all their users have both, next to each other. */
export interface Neighbors {
  readonly upper: Layer;
  readonly lower: Layer;
  /** Whether nobody has a layer below the lower one, so that nothing has to be hidden there. */
  readonly isLowest: boolean;
  /** The only user of both, if that is a table. */
  readonly table: FoundTable | undefined;
}

/** What lists say of a layer. */
interface Found {
  readonly layer: Layer;
  lists: number;
  /** The layer above it; undefined if it is the nearest, null if lists differ. */
  above: Layer | undefined | null;
  isLowest: boolean;
  readonly table: FoundTable | undefined;
}

/**
 * Returns the pairs to merge first: the lower layer of each has to stay where it is. Readers come last in `uses`. What they alone have is not
 * merged.
 */
export function findNeighbors(uses: Iterable<LayerUse>): readonly Neighbors[] {
  const found = new Map<string, Found>();
  for (const { layers, table, isHold } of uses) {
    for (const [at, layer] of layers.entries()) {
      const above = layers[at - 1];
      const isLowest = at === layers.length - 1;
      const known = found.get(layer.id);
      if (!known && !isHold) found.set(layer.id, { layer, lists: 1, above, isLowest, table });
      if (known) {
        known.lists++;
        known.isLowest &&= isLowest;
        if (known.above?.id !== above?.id) known.above = null;
      }
    }
  }
  const pairs: Neighbors[] = [];
  for (const { layer: lower, lists: count, above: upper, isLowest, table } of found.values()) {
    if (!upper || found.get(upper.id)?.lists !== count) continue;
    pairs.push({ upper, lower, isLowest, table: count === 1 ? table : undefined });
  }
  const uppers = new Set(pairs.map(({ upper }) => upper.id));
  return pairs.filter(({ lower }) => !uppers.has(lower.id));
}
