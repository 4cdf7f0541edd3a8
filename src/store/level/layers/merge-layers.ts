import { write } from '../decide.js';
import type { PendingChange, RecordDirectory } from '../directories/record-directory.js';
import { type Layer, layersOfTable, newTableId, type TableEntry, withLayers } from '../directories/table-directory.js';
import { BackgroundWork } from '../engine/background-work.js';
import { mergeChanges, type RecordChange, tombstone } from '../engine/engine.js';
import { encodeDroppedKey, keyAfter, prefixOfLayer, wholeTable } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { firstPart, readInParts } from '../read/read-in-parts.js';
import { allLayers, dropLayers, layersOfSnapshots } from './replace-tables.js';
import { areSame, type LayerList } from './rows-users.js';
import { listsOf, type SnapshotRecord } from './snapshot-record.js';

/** A merge of layers into one, which then replaces a run of layers. */
interface Merge {
  readonly from: LayerList;
  readonly to: Layer;
  readonly replaced: LayerList;
  /** Whether a tombstone hides nothing in its new layer. */
  readonly isLowest: boolean;
  /** Other changes of the last commit. */
  readonly last: PendingChange;
}

/**
 * Keeps the number of layers small, in the background, so that a table without snapshots ends up with none.
 *
 * - Layers that all their users have next to each other are merged in place: the rows of the upper one move down, and then it is removed.
 *   Readers see the same rows before and after each step, so a merge may stop anywhere. The work depends on the writes since the
 *   snapshot, not on the size of the table.
 * - Many layers that snapshots use differently are partly copied to a new one. `chooseCopied` keeps the number of copies of a row low.
 *   Until the new layer is used, a marker keeps it dropped, so that it is swept after a crash.
 */
export class LayerMerger extends BackgroundWork {
  readonly #parts: LevelParts;
  /** Lists without layers to copy. */
  readonly #kept = new WeakSet<LayerList>();

  /** Must be woken when layers gain or lose users. */
  constructor(parts: LevelParts, report: (error: unknown) => void) {
    super(() => this.#merge(), report);
    this.#parts = parts;
  }

  async #merge(): Promise<void> {
    const { queue } = this.#parts;
    // Pending decisions may be discarded. After a failure, the reopened engine resumes this.
    await queue.settled().catch(() => {});
    if (queue.hasFailed) return;
    for (const pair of findNeighbors(this.#uses())) {
      if (this.isPaused) return;
      if ((await this.#mergeAtOnce(pair)) || (await this.#mergeInParts(this.#inPlace(pair)))) this.wake();
    }
    if (!this.isWanted && (await this.#copyMany())) this.wake();
  }

  *#uses(): Generator<LayerUse> {
    const { tables, users } = this.#parts;
    for (const table of tables.allPending()) yield { layers: layersOfTable(table.account, table.table), table };
    for (const layers of layersOfSnapshots(this.#parts)) yield { layers };
    for (const { layers } of users.holds) yield { layers, isHold: true };
  }

  /** Whether a table is still the only user of two layers. */
  #isOnlyUser({ upper, lower, table }: Neighbors): boolean {
    const { tables, users } = this.#parts;
    const found = table && tables.findAgain(table)?.table;
    if (!found || users.isShared(upper) || users.isShared(lower)) return false;
    return withLayer(layersOfTable(table.account, found), [upper, lower], lower) !== undefined;
  }

  /** Whether a merge must end: during a pause, or because no table or snapshot has the layers any more. */
  #isOver({ replaced, to }: Merge): boolean {
    if (this.isPaused) return true;
    for (const layers of allLayers(this.#parts)) if (withLayer(layers, replaced, to)) return false;
    return true;
  }

  /** Merges two layers of a table in one commit, if nothing else uses them and the upper one is small. Returns whether it did. */
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
      // Inside the gate, so the queue still has all changes since the read began.
      if (isLarge || !this.#isOnlyUser(pair)) return;
      const keys = rows.map((row) => from + row);
      const [changed, values] = mergeChanges(keys, texts, queue.changesOf(from), ({ value }) => value ?? tombstone);
      const records = changed.map((key, at) => moved(to + key.slice(from.length), values[at] ?? '', isLowest));
      written = this.#replace([upper, lower], lower, this.#left(pair, records), pair.table);
    });
    await written;
    return written !== undefined;
  }

  /** Returns the merge of two layers that others use meanwhile. */
  #inPlace(pair: Neighbors): Merge {
    const { upper, lower, isLowest } = pair;
    return { from: [upper], to: lower, replaced: [upper, lower], isLowest, last: this.#left(pair, []) };
  }

  /** Returns the change that removes the upper one of two layers, in a commit with `records`. */
  #left({ lower }: Neighbors, records: readonly RecordChange[]): PendingChange {
    const { cache, dead } = this.#parts;
    const to = prefixOfLayer(lower);
    dead.count(to, records.length);
    return { records, written: () => cache.drop(to) };
  }

  /** Replaces layers by one, in a commit with another change. */
  #replace(replaced: LayerList, to: Layer, change: PendingChange, only?: TableEntry): Promise<void> {
    return write(this.#parts.queue, [change, ...replaceLayers(this.#parts, replaced, to, only)]);
  }

  /** Merges layers in parts. A hold on the replaced ones makes tables write to new rows above them. Returns whether it is done. */
  async #mergeInParts(merge: Merge): Promise<boolean> {
    const { engine, gate, queue, users, dead } = this.#parts;
    const { from, to, replaced, isLowest } = merge;
    const prefix = prefixOfLayer(to);
    const isInPlace = replaced.includes(to);
    const hold = users.hold(replaced);
    try {
      // Waits for earlier decisions.
      await queue.settled();
      const reading = { layers: from, keepsTombstones: true };
      for await (const { rows, texts } of readInParts({ engine, gate, tail: queue.tail }, reading)) {
        // Checked in the turn that adds the rows: the layers may have been dropped.
        if (this.#isOver(merge)) return false;
        if (isInPlace) dead.count(prefix, rows.length);
        await queue.add(rows.map((row, at) => moved(prefix + row, texts[at] ?? '', isLowest)));
      }
      if (this.#isOver(merge)) return false;
      // In the turn that decides the commit.
      users.release(hold);
      await this.#replace(replaced, to, merge.last);
      return true;
    } finally {
      users.release(hold);
    }
  }

  /** Copies layers of tables with many of them. Returns whether it did. */
  async #copyMany(): Promise<boolean> {
    const { tables } = this.#parts;
    let isChanged = false;
    for (const found of [...tables.allPending()]) {
      // A copy for another table may have changed its layers.
      const { layers = [] } = tables.findAgain(found)?.table ?? {};
      if (this.#kept.has(layers)) continue;
      const copied = await chooseCopied(layers.length, (at, limit) => this.#count(layers[at], limit));
      if (this.isPaused) break;
      if (copied === 0) this.#kept.add(layers);
      else isChanged = (await this.#copy(found.account, layers.slice(0, copied))) || isChanged;
    }
    return isChanged;
  }

  /** Counts the rows of a layer, up to about `limit`. */
  async #count(layer: Layer | undefined, limit: number): Promise<number> {
    if (!layer) return 0;
    const { engine, gate, queue } = this.#parts;
    const reading = { layers: [layer], keepsTombstones: true };
    let counted = 0;
    for await (const { rows } of readInParts({ engine, gate, tail: queue.tail }, reading)) {
      counted += rows.length;
      if (counted >= limit || this.isPaused) break;
    }
    return counted;
  }

  /** Replaces layers by a merged copy. Returns whether anything uses it. */
  async #copy(account: string, copied: LayerList): Promise<boolean> {
    const { queue, clock, dead } = this.#parts;
    const to = { account, id: newTableId(clock.nextTimestamp()) };
    const marker = encodeDroppedKey(account, to.id);
    const unmarked: PendingChange = { records: [{ key: marker, value: null }], written: () => {} };
    let isUsed = false;
    try {
      await queue.add([{ key: marker, value: '' }]);
      const merge = { from: copied, to, replaced: copied, isLowest: false, last: unmarked };
      isUsed = await this.#mergeInParts(merge);
      return isUsed;
    } finally {
      // After a failed commit the reopened store sweeps it.
      if (!isUsed && !queue.hasFailed) dead.drop(account, to.id);
    }
  }
}

/** Returns the record of a row that moves down to a layer. */
function moved(key: string, text: string, isLowest: boolean): RecordChange {
  return { key, value: text === tombstone && isLowest ? null : text };
}

/**
 * Layers of a table with more than this may be copied, because a read passes the hidden rows of each. (Our choice: undo alone would
 * give a table six, and a page behind a reset partition takes half as long with three.)
 */
const layersMax = 3;

/**
 * A layer stays if it is this many times larger than all layers above it together. With 2, a row is copied at most about 1.7 times for
 * each doubling of the rows above the lowest layer, and a thousand layers of one size become seven.
 */
const growth = 2;

/**
 * Returns the number of nearest layers to copy into one; 0 if none. The lowest layer, usually the largest, stays. So does any layer
 * that is much larger than everything above it: it should not be copied again and again for a few rows.
 *
 * `sizeOf` returns the number of rows of the layer at a position, or any number from `limit` on if it has at least that many.
 */
export async function chooseCopied(
  layers: number,
  sizeOf: (at: number, limit: number) => Promise<number>,
): Promise<number> {
  if (layers <= layersMax) return 0;
  let copied = 1;
  let above = Math.max(1, await sizeOf(0, Number.POSITIVE_INFINITY));
  for (let at = 1; at < layers - 1; at++) {
    const limit = growth * above;
    const size = await sizeOf(at, limit);
    if (size < limit) copied = at + 1;
    // The size of a layer that stays is known only up to `limit`, which suffices.
    above += Math.min(size, limit);
  }
  return copied === 1 ? 0 : copied;
}

/** Returns the changes that replace layers by one with the same rows, in `only` or everywhere, and drop the unused ones. */
function replaceLayers(parts: LevelParts, replaced: LayerList, layer: Layer, only?: TableEntry): PendingChange[] {
  const { tables, snapshots } = parts;
  const changes: PendingChange[] = [];
  const found = only && tables.findAgain(only);
  for (const { account, nameKey, table } of found ? [found] : [...tables.allPending()]) {
    const layers = withLayer(layersOfTable(account, table), replaced, layer);
    if (layers) changes.push(tables.change({ account, nameKey, table: withLayers(account, table, layers) }));
  }
  if (!found) changes.push(...replaceInAll(snapshots, replaced, layer));
  const released = replaced.filter(({ id }) => id !== layer.id);
  return [...changes, ...dropLayers(parts, released)];
}

function replaceInAll(
  snapshots: RecordDirectory<SnapshotRecord>,
  replaced: LayerList,
  layer: Layer,
): readonly PendingChange[] {
  return snapshots.allPending().flatMap(([name, record]) => {
    if (!listsOf(record).some((layers) => withLayer(layers, replaced, layer))) return [];
    const accounts = record.accounts.map((account) => ({
      ...account,
      tables: account.tables.map((one) => ({ ...one, layers: withLayer(one.layers, replaced, layer) ?? one.layers })),
    }));
    return [snapshots.put(name, { ...record, accounts })];
  });
}

/** Returns a list with `layer` instead of `replaced`; undefined if the list lacks them. */
function withLayer(layers: LayerList, replaced: LayerList, layer: Layer): LayerList | undefined {
  const at = layers.findIndex(({ id }) => id === replaced[0]?.id);
  const end = at + replaced.length;
  if (at < 0 || !areSame(layers.slice(at, end), replaced)) return undefined;
  return [...layers.slice(0, at), layer, ...layers.slice(end)];
}

/** The layers that a table, a snapshot or a reader uses, nearest first. */
interface LayerUse {
  readonly layers: LayerList;
  readonly table?: TableEntry;
  /** Whether it is a reader, which keeps its layers. */
  readonly isHold?: boolean;
}

/** Two layers that can be merged, because all their users have both, next to each other. */
interface Neighbors {
  readonly upper: Layer;
  readonly lower: Layer;
  /** Whether no user has a layer below, so that tombstones are not needed. */
  readonly isLowest: boolean;
  /** The only user of both, if it is a table. */
  readonly table: TableEntry | undefined;
}

interface LayerTally {
  readonly layer: Layer;
  lists: number;
  /** The layer above it; undefined if it is the nearest, null if lists differ. */
  above: Layer | undefined | null;
  isLowest: boolean;
  readonly table: TableEntry | undefined;
}

/** Returns the pairs to merge first: their lower layer is not an upper one. Readers come last in `uses`; their own layers are not merged. */
function findNeighbors(uses: Iterable<LayerUse>): readonly Neighbors[] {
  const found = new Map<string, LayerTally>();
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
