import type { Layer } from '../directories/table-directory.js';

/** The layers of a table, a snapshot or a reader, nearest first. */
export type LayerList = readonly Layer[];

/** A reader's layers, which stay. A merge shows the same rows: a layer merged into the one below keeps its rows until the hold ends. */
interface Hold {
  readonly layers: LayerList;
}

/** The number of tables and snapshots that use a layer, as of all pending changes. */
interface DecidedUses {
  uses: number;
  /** Those with other layers, too. */
  stacked: number;
}

/**
 * Counts the users of each layer: tables, snapshots and holds. Written and pending records both count, so a user that is about to leave
 * a layer still counts. Pending ones are also counted alone.
 */
export class RowsUsers {
  /** By the id of the layer, which is unique in a store. */
  readonly #counts = new Map<string, number>();
  readonly #decided = new Map<string, DecidedUses>();
  readonly #holds = new Set<Hold>();
  onReleased: () => void = () => {};
  /** Is called when layers have lost users: holds, tables or snapshots. */
  onLeft: () => void = () => {};

  add(layers: LayerList): void {
    for (const { id } of layers) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
  }

  remove(layers: LayerList): void {
    for (const { id } of layers) {
      const left = (this.#counts.get(id) ?? 0) - 1;
      if (left > 0) this.#counts.set(id, left);
      else this.#counts.delete(id);
    }
  }

  /** Counts a decision: a record replaces its lists of layers. */
  decide(before: readonly LayerList[], after: readonly LayerList[]): void {
    for (const layers of after) this.#countDecided(layers, 1);
    for (const layers of before) this.#countDecided(layers, -1);
  }

  #countDecided(layers: LayerList, change: 1 | -1): void {
    for (const { id } of layers) {
      const { uses = 0, stacked = 0 } = this.#decided.get(id) ?? {};
      const left = { uses: uses + change, stacked: layers.length > 1 ? stacked + change : stacked };
      if (left.uses > 0) this.#decided.set(id, left);
      else this.#decided.delete(id);
    }
  }

  /** Whether a table or a snapshot uses a layer, as of all pending changes. */
  isUsed({ id }: Pick<Layer, 'id'>): boolean {
    return this.#decided.has(id);
  }

  /** Whether one of them has other layers, too, so that two could be merged. */
  isStacked({ id }: Pick<Layer, 'id'>): boolean {
    return (this.#decided.get(id)?.stacked ?? 0) > 0;
  }

  /** Recounts the lists of all tables and snapshots, while no change is pending. */
  recount(lists: Iterable<LayerList>): void {
    this.#counts.clear();
    this.#decided.clear();
    for (const layers of lists) {
      this.add(layers);
      this.decide([], [layers]);
    }
    for (const { layers } of this.#holds) this.add(layers);
  }

  /** Whether a layer has more than one user, and must not change. */
  isShared({ id }: Pick<Layer, 'id'>): boolean {
    return (this.#counts.get(id) ?? 0) > 1;
  }

  hold(layers: LayerList): Hold {
    const hold: Hold = { layers };
    this.#holds.add(hold);
    this.add(layers);
    return hold;
  }

  release(hold: Hold): void {
    if (!this.#holds.delete(hold)) return;
    this.remove(hold.layers);
    this.onReleased();
    this.onLeft();
  }

  get holds(): Iterable<Hold> {
    return this.#holds;
  }

  /** Whether a hold has a layer, so that its rows must stay without other users. */
  isHeld(id: string): boolean {
    for (const { layers } of this.#holds) if (layers.some((layer) => layer.id === id)) return true;
    return false;
  }
}

/** Whether two records use the same lists of layers. */
export function haveSameLists(one: readonly LayerList[], other: readonly LayerList[]): boolean {
  return one.length === other.length && one.every((layers, at) => areSame(layers, other[at] ?? []));
}

/** Whether two lists have the same layers. */
export function areSame(one: LayerList, other: LayerList): boolean {
  return one.length === other.length && one.every(({ id }, at) => id === other[at]?.id);
}
