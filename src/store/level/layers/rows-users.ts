import type { Layer } from '../directories/table-directory.js';

/** The layers that a table, a snapshot or a reader has, nearest first. */
export type LayerList = readonly Layer[];

/**
 * Layers that stay while something reads them. Others may merge them meanwhile, which shows the same rows: one that was merged into the layer
 * below it keeps its rows until the end of the hold.
 */
interface Hold {
  readonly layers: LayerList;
}

/** How many tables and snapshots use a layer, once all pending changes are written. */
interface DecidedUses {
  uses: number;
  /** Those that use other layers with it. */
  stacked: number;
}

/**
 * Counts by how many tables, snapshots and holds each layer is used. Both what is written and what is decided count, so a layer that one
 * of them is about to leave has a user more than it needs. What is decided is counted alone, too.
 */
export class RowsUsers {
  /** By the id of the layer, which no other layer of the store has. */
  readonly #counts = new Map<string, number>();
  readonly #decided = new Map<string, DecidedUses>();
  readonly #holds = new Set<Hold>();
  onReleased: () => void = () => {};
  /** Is called when layers have lost users: a hold, a table or a snapshot. */
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

  /** Counts a decision: a record leaves some lists of layers and uses others. */
  decide(left: readonly LayerList[], used: readonly LayerList[]): void {
    for (const layers of used) this.#countDecided(layers, 1);
    for (const layers of left) this.#countDecided(layers, -1);
  }

  #countDecided(layers: LayerList, change: 1 | -1): void {
    for (const { id } of layers) {
      const { uses = 0, stacked = 0 } = this.#decided.get(id) ?? {};
      const left = { uses: uses + change, stacked: layers.length > 1 ? stacked + change : stacked };
      if (left.uses > 0) this.#decided.set(id, left);
      else this.#decided.delete(id);
    }
  }

  /** Whether a table or a snapshot uses a layer, once all pending changes are written. */
  isUsed({ id }: Pick<Layer, 'id'>): boolean {
    return this.#decided.has(id);
  }

  /** Whether one of them uses it with other layers, so that two of these could be merged. */
  isStacked({ id }: Pick<Layer, 'id'>): boolean {
    return (this.#decided.get(id)?.stacked ?? 0) > 0;
  }

  /** Counts again, from the lists of all tables and snapshots, while no change is pending. */
  recount(lists: Iterable<LayerList>): void {
    this.#counts.clear();
    this.#decided.clear();
    for (const layers of lists) {
      this.add(layers);
      this.decide([], [layers]);
    }
    for (const { layers } of this.#holds) this.add(layers);
  }

  /** Whether a layer has more than one user, so that rows must not be written to it. */
  isShared({ id }: Pick<Layer, 'id'>): boolean {
    return (this.#counts.get(id) ?? 0) > 1;
  }

  /** Keeps layers as they are until `release`. */
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

  /** Whether a hold has a layer, so that its rows must stay although nothing else uses them. */
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
