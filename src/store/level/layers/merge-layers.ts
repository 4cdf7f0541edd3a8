import { write } from '../decide.js';
import type { PendingChange, RecordDirectory } from '../directories/record-directory.js';
import { type FoundTable, type Layer, layersOfTable, newTableId, withLayers } from '../directories/table-directory.js';
import { BackgroundWork } from '../engine/background-work.js';
import { mergeChanges, type RecordChange, tombstone } from '../engine/engine.js';
import { encodeDroppedKey, keyAfter, prefixOfLayer, wholeTable } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import { firstPart, readInParts } from '../read/read-in-parts.js';
import { allLayers, dropLayers, layersOfSnapshots } from './replace-tables.js';
import { areSame, type LayerList } from './rows-users.js';
import { listsOf, type SnapshotRecord } from './snapshot-record.js';

/** How to put what some layers have together into one, which then takes the place of a run of layers. */
interface Merge {
  readonly from: LayerList;
  readonly to: Layer;
  readonly replaced: LayerList;
  /** Whether a tombstone has nothing to hide in its new layer. */
  readonly isLowest: boolean;
  /** What else the last commit changes. */
  readonly last: PendingChange;
}

/**
 * Keeps the number of layers small, in the background, so that a table without snapshots has none again.
 *
 * - Layers that all their users have next to each other are merged in place: the rows of the upper one go down, and then it is left out.
 *   Their readers find the same before and after each step, so a merge may end anywhere. The work depends on how much
 *   was written since the snapshot, not on the size of the table.
 * - Of many layers that snapshots use in different ways, some are copied to a new one. `chooseCopied` chooses them so that a row is
 *   not copied often. Until the new layer is used, a record marks it as dropped, so that it is swept after a crash.
 */
export class LayerMerger extends BackgroundWork {
  readonly #parts: LevelParts;
  /** Lists of layers of which none need to be copied. */
  readonly #kept = new WeakSet<LayerList>();

  /** Must be woken when layers got or lost users. `report` is called with errors. */
  constructor(parts: LevelParts, report: (error: unknown) => void) {
    super(() => this.#merge(), report);
    this.#parts = parts;
  }

  async #merge(): Promise<void> {
    const { queue } = this.#parts;
    // Pending decisions may be taken back. After a failure, the reopened engine resumes this.
    await queue.settled().catch(() => {});
    if (queue.hasFailed) return;
    for (const pair of findNeighbors(this.#uses())) {
      if (this.isPaused) return;
      // There may be further layers above the two.
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

  /** Whether the only table that uses two layers still does. */
  #isOnlyUser({ upper, lower, table }: Neighbors): boolean {
    const { tables, users } = this.#parts;
    const found = table && tables.findAgain(table)?.table;
    if (!found || users.isShared(upper) || users.isShared(lower)) return false;
    return withLayer(layersOfTable(table.account, found), [upper, lower], lower) !== undefined;
  }

  /** Whether merging must end: for good, or because no table and no snapshot has the layers any more. */
  #isOver({ replaced, to }: Merge): boolean {
    if (this.isPaused) return true;
    for (const layers of allLayers(this.#parts)) if (withLayer(layers, replaced, to)) return false;
    return true;
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
      written = this.#replace([upper, lower], lower, this.#left(pair, records), pair.table);
    });
    await written;
    return written !== undefined;
  }

  /** Returns how to merge two layers while others use them. */
  #inPlace(pair: Neighbors): Merge {
    const { upper, lower, isLowest } = pair;
    return { from: [upper], to: lower, replaced: [upper, lower], isLowest, last: this.#left(pair, []) };
  }

  /** Returns what leaves the upper one of two layers out, in a commit that also has `records`. */
  #left({ lower }: Neighbors, records: readonly RecordChange[]): PendingChange {
    const { cache, dead } = this.#parts;
    const to = prefixOfLayer(lower);
    dead.count(to, records.length);
    return { records, written: () => cache.drop(to) };
  }

  /** Puts a layer in the place of others, in a commit that also makes another change. */
  #replace(replaced: LayerList, to: Layer, change: PendingChange, only?: FoundTable): Promise<void> {
    return write(this.#parts.queue, [change, ...replaceLayers(this.#parts, replaced, to, only)]);
  }

  /**
   * Merges layers in parts. Meanwhile those that are replaced are held: a table that writes to one gets rows of its own above it. Returns
   * whether it is done.
   */
  async #mergeInParts(merge: Merge): Promise<boolean> {
    const { engine, gate, queue, users, dead } = this.#parts;
    const { from, to, replaced, isLowest } = merge;
    const prefix = prefixOfLayer(to);
    const isInPlace = replaced.includes(to);
    const hold = users.hold(replaced);
    try {
      // Writes that were decided before.
      await queue.settled();
      const reading = { layers: from, keepsTombstones: true };
      for await (const { rows, texts } of readInParts({ engine, gate, tail: queue.tail }, reading)) {
        // In the turn in which the rows are added: nobody may have dropped the layers.
        if (this.#isOver(merge)) return false;
        if (isInPlace) dead.count(prefix, rows.length);
        await queue.add(rows.map((row, at) => moved(prefix + row, texts[at] ?? '', isLowest)));
      }
      if (this.#isOver(merge)) return false;
      // The hold ends in the turn in which the commit is decided.
      users.release(hold);
      await this.#replace(replaced, to, merge.last);
      return true;
    } finally {
      users.release(hold);
    }
  }

  /** Copies layers of tables that have many. Returns whether it did. */
  async #copyMany(): Promise<boolean> {
    const { tables } = this.#parts;
    let isChanged = false;
    for (const found of [...tables.allPending()]) {
      // Merging others may have changed the layers of this one.
      const { layers = [] } = tables.findAgain(found)?.table ?? {};
      if (this.#kept.has(layers)) continue;
      const copied = await chooseCopied(layers.length, (at, limit) => this.#count(layers[at], limit));
      if (this.isPaused) break;
      if (copied === 0) this.#kept.add(layers);
      else isChanged = (await this.#copy(found.account, layers.slice(0, copied))) || isChanged;
    }
    return isChanged;
  }

  /** Returns the number of rows of a layer, or a number from `limit` on if it has so many. */
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

  /** Copies what layers have together to a new layer, and puts it in their place. Returns whether anything uses it. */
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

/** Returns the record of a row that goes down to a layer. */
function moved(key: string, text: string, isLowest: boolean): RecordChange {
  return { key, value: text === tombstone && isLowest ? null : text };
}

/**
 * Layers of a table with more than this may be copied. A read passes the hidden rows of each. (Our choice: undo alone would give a table six, and
 * a page behind a partition that was reset takes half as long with three.)
 */
const layersMax = 3;

/**
 * How many times larger than all layers above it together a layer must be to stay as it is. With 2, a row is copied at most
 * about 1.7 times for each doubling of what lies above the lowest layer, and a thousand layers of one size become seven.
 */
const growth = 2;

/**
 * Returns how many of the nearest layers to copy into one; 0 if none. The lowest one is usually much larger, and stays. Of the
 * others, those stay that are much larger than everything above them, so that a large layer is not copied each time for a
 * few rows above it.
 *
 * `sizeOf` returns the number of rows of the layer at a position, or any number from `limit` on if it has so many.
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
    // Of a layer that stays, no more than this is known. The layers that stay still grow as they must.
    above += Math.min(size, limit);
  }
  return copied === 1 ? 0 : copied;
}

/**
 * Returns what puts a layer in the place of others wherever tables and snapshots use them together, or in one table, and drops those that
 * none uses then. It shows the same rows as they do together.
 */
function replaceLayers(parts: LevelParts, replaced: LayerList, layer: Layer, only?: FoundTable): PendingChange[] {
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

/** Returns what puts a layer in the place of others in all snapshots. */
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

/** Returns a list with a layer in the place of others; undefined if they are not there. */
function withLayer(layers: LayerList, replaced: LayerList, layer: Layer): LayerList | undefined {
  const at = layers.findIndex(({ id }) => id === replaced[0]?.id);
  const end = at + replaced.length;
  if (at < 0 || !areSame(layers.slice(at, end), replaced)) return undefined;
  return [...layers.slice(0, at), layer, ...layers.slice(end)];
}

/** The layers that a table, a snapshot or a reader uses, nearest first. */
interface LayerUse {
  readonly layers: LayerList;
  readonly table?: FoundTable;
  /** Whether it is a reader, which keeps its layers. */
  readonly isHold?: boolean;
}

/** Two layers, one of which can be merged into the other, because all their users have both, next to each other. */
interface Neighbors {
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
function findNeighbors(uses: Iterable<LayerUse>): readonly Neighbors[] {
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
