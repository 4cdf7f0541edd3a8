import type { PendingChange } from '../directories/pending-values.js';
import { type FoundTable, layersOfTable } from '../directories/table-directory.js';
import { type RecordChange, tombstone } from '../engine/engine.js';
import { keyAfter, prefixOfLayer, wholeTable } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { mergeChanges } from '../read/merge-changes.js';
import { firstPart } from '../read/read-in-parts.js';
import { LayerCopier, readLayers } from './copy-layers.js';
import { layersOfSnapshots } from './drop-tables.js';
import { findNeighbors, type LayerUse, type Neighbors } from './neighbors.js';
import { replaceLayers, withLayer } from './replace-layers.js';

/** What merging needs besides the parts of its store. */
export interface LayerMergerOptions {
  /** Writes changes in one batch. Readers see them when it is written. */
  readonly write: (...changes: readonly PendingChange[]) => Promise<void>;
  /** Is called with errors. */
  readonly report: (error: unknown) => void;
}

/**
 * Keeps the number of layers small, in the background, so that a table without snapshots has none again.
 *
 * - Layers that all their users have next to each other are merged in place: the rows of the upper one go down, and then it is left out.
 *   Their readers find the same before and after each step, so a merge may end anywhere. The work depends on how much
 *   was written since the snapshot, not on the size of the table.
 * - Of many layers that snapshots use in different ways, some are copied to a new one.
 */
export class LayerMerger {
  readonly #parts: LevelParts;
  readonly #options: LayerMergerOptions;
  readonly #copier: LayerCopier;
  #working: Promise<void> | undefined;
  #isWanted = false;
  #isPaused = false;

  constructor(parts: LevelParts, options: LayerMergerOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#copier = new LayerCopier(parts, options.write);
  }

  /** Looks for layers to merge. Must be called when layers got or lost users. */
  wake(): void {
    if (this.#isPaused) return;
    this.#isWanted = true;
    this.#working ??= this.#work()
      .catch(this.#options.report)
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** Looks for layers again, after the engine was opened. */
  resume(): void {
    this.#isPaused = false;
    this.wake();
  }

  /** Resolves when nothing is being merged. */
  async settled(): Promise<void> {
    await this.#working;
  }

  /** Stops using the engine until `resume`. Waits for the current step. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.settled();
  }

  async #work(): Promise<void> {
    while (this.#isWanted && !this.#isPaused) {
      this.#isWanted = false;
      const { queue } = this.#parts;
      // What is decided and not written yet may be taken back. After a failure, the reopened engine resumes this.
      await queue.settled().catch(() => {});
      if (queue.hasFailed) return;
      for (const pair of findNeighbors(this.#uses())) {
        if (this.#isPaused) return;
        // There may be further layers above the two.
        if ((await this.#mergeAtOnce(pair)) || (await this.#mergeInParts(pair))) this.#isWanted = true;
      }
      if (!this.#isWanted) this.#isWanted = await this.#copier.copy(() => this.#isPaused);
    }
  }

  /** Returns how all tables, snapshots and holds use layers. */
  *#uses(): Generator<LayerUse> {
    const { tables, users } = this.#parts;
    for (const table of tables.allPending()) yield { layers: layersOfTable(table.account, table.table), table };
    for (const layers of layersOfSnapshots(this.#parts)) yield { layers };
    for (const { layers } of users.holds) yield { layers };
  }

  /** Whether the only table that uses two layers still does. */
  #isOnlyUser({ upper, lower, table }: Neighbors): boolean {
    const { tables, users } = this.#parts;
    const found = table && tables.findAgain(table)?.table;
    if (!found || users.isShared(upper) || users.isShared(lower)) return false;
    return withLayer(layersOfTable(table.account, found), [upper, lower], lower) !== undefined;
  }

  /** Whether a table, a snapshot or a reader uses two layers, besides the merger. */
  #areUsed({ lower }: Neighbors): boolean {
    let users = 0;
    for (const { layers } of this.#uses()) if (layers.some(({ id }) => id === lower.id)) users++;
    return users > 1;
  }

  /**
   * Merges two layers of one table in one commit, if nobody else uses them and the upper one, to which the table writes, is small. Returns whether it did.
   */
  async #mergeAtOnce(pair: Neighbors): Promise<boolean> {
    const { engine, gate, queue } = this.#parts;
    const { upper, lower, isLowest } = pair;
    const [from, to] = [prefixOfLayer(upper), prefixOfLayer(lower)];
    if (!this.#isOnlyUser(pair)) return false;
    let written: Promise<void> | undefined;
    await gate.read(async () => {
      const { gte, lt } = wholeTable(from);
      const all = { range: { gte, lt }, keepsTombstones: true };
      const { rows, texts, last } = await firstPart(engine, queue.tail, [from], all);
      const rest = last === undefined ? undefined : { ...all, range: { gte: keyAfter(from + last), lt } };
      const isLarge = rest && (await firstPart(engine, queue.tail, [from], rest)).rows.length > 0;
      // Inside the gate, so everything that was written or decided since the read began is still in the queue.
      if (isLarge || !this.#isOnlyUser(pair)) return;
      const keys = rows.map((row) => from + row);
      const [changed, values] = mergeChanges(keys, texts, queue.changesOf(from), ({ value }) => value ?? tombstone);
      const records = changed.map((key, at) => moved(to + key.slice(from.length), values[at] ?? '', isLowest));
      written = this.#leaveOut(pair, records, pair.table);
    });
    await written;
    return written !== undefined;
  }

  /**
   * Merges two layers in parts. Meanwhile the upper one is held: a table that writes to it gets rows of its own above it. Returns
   * whether it is done.
   */
  async #mergeInParts(pair: Neighbors): Promise<boolean> {
    const { queue, users, dead } = this.#parts;
    const { upper, lower, isLowest } = pair;
    const to = prefixOfLayer(lower);
    const hold = users.hold([upper, lower]);
    try {
      // Writes that were decided before.
      await queue.settled();
      for await (const { rows, texts } of readLayers(this.#parts, [upper])) {
        // In the turn in which the rows are added: nobody may have dropped the layers.
        if (this.#isPaused || !this.#areUsed(pair)) return false;
        dead.count(to, rows.length);
        await queue.add(rows.map((row, at) => moved(to + row, texts[at] ?? '', isLowest)));
      }
      if (this.#isPaused || !this.#areUsed(pair)) return false;
      // The hold ends in the turn in which the commit is decided.
      users.release(hold);
      await this.#leaveOut(pair, []);
      return true;
    } finally {
      users.release(hold);
    }
  }

  /** Leaves the upper one of two layers out wherever they are used, in a commit that also has `records`. */
  #leaveOut({ upper, lower }: Neighbors, records: readonly RecordChange[], only?: FoundTable): Promise<void> {
    const { cache, dead, hidden } = this.#parts;
    const [from, to] = [prefixOfLayer(upper), prefixOfLayer(lower)];
    dead.count(to, records.length);
    this.#copier.forget(lower);
    const written = () => {
      for (const prefix of [from, to]) cache.drop(prefix);
      hidden.merge(from, to);
    };
    return this.#options.write({ records, written }, ...replaceLayers(this.#parts, [upper, lower], lower, only));
  }
}

/** Returns the record of a row that goes down to a layer. */
function moved(key: string, text: string, isLowest: boolean): RecordChange {
  return { key, value: text === tombstone && isLowest ? null : text };
}
