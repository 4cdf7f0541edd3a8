import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PendingChange } from '../directories/pending-values.js';
import { type Layer, newTableId } from '../directories/table-directory.js';
import { encodeDroppedKey, keyAfter, prefixOfLayer, wholeTable } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-parts.js';
import type { MergedRecords } from '../read/merge-rows.js';
import { readInParts } from '../read/read-in-parts.js';
import { chooseCopied } from './choose-copied.js';
import { allLayers } from './drop-tables.js';
import { replaceLayers, withLayer } from './replace-layers.js';
import type { LayerList } from './rows-users.js';

/** Of how many layers the size is remembered. Ours: it only saves counting. */
const sizesMax = 1024;

/** How much further than it is asked for a layer is counted, so that it need not be counted again soon. */
const countedAhead = 4;

/** How many keys are counted at a time. */
const countedAtOnce = 1000;

/** Yields what layers have together, tombstones too, in short reads. */
export function readLayers({ engine, gate, queue }: LevelParts, layers: LayerList): AsyncGenerator<MergedRecords> {
  return readInParts({ engine, gate, tail: queue.tail }, { layers: () => layers, keepsTombstones: true });
}

/**
 * Copies what some layers of a table have together to a new layer, which takes their place. `chooseCopied` chooses them so that a row is
 * not copied often. Until the new layer is used, a record marks it as dropped, so that it is swept after a crash.
 */
export class LayerCopier {
  readonly #parts: LevelParts;
  readonly #write: (...changes: readonly PendingChange[]) => Promise<void>;
  /** The sizes of layers: exact, or a number that they have at least. Only the choice of layers depends on them. */
  readonly #sizes = new Map<string, { readonly rows: number; readonly isExact: boolean }>();

  constructor(parts: LevelParts, write: (...changes: readonly PendingChange[]) => Promise<void>) {
    this.#parts = parts;
    this.#write = write;
  }

  /** Forgets the size of a layer that has got rows. */
  forget(layer: Layer): void {
    this.#sizes.delete(prefixOfLayer(layer));
  }

  /** Copies layers of tables that have many. Returns whether it did. It ends soon when `isPaused` returns true. */
  async copy(isPaused: () => boolean): Promise<boolean> {
    const { tables } = this.#parts;
    let isChanged = false;
    for (const found of [...tables.allPending()]) {
      if (isPaused()) break;
      // Merging others may have changed the layers of this one.
      const { layers = [] } = tables.findAgain(found)?.table ?? {};
      const copied = await chooseCopied(layers.length, (at, limit) => this.#sizeOf(layers[at], limit, isPaused));
      if (copied > 0 && !isPaused())
        isChanged = (await this.#copy(found.account, layers.slice(0, copied), isPaused)) || isChanged;
    }
    return isChanged;
  }

  /** Returns the number of rows of a layer, or a number from `limit` on if it has so many. */
  async #sizeOf(layer: Layer | undefined, limit: number, isPaused: () => boolean): Promise<number> {
    if (!layer) return 0;
    const prefix = prefixOfLayer(layer);
    const known = this.#sizes.get(prefix);
    if (known && (known.isExact || known.rows >= limit)) return known.rows;
    const { engine, gate, queue } = this.#parts;
    // Only the engine's rows are counted.
    await queue.catchUp();
    const most = countedAhead * limit;
    const { gte, lt } = wholeTable(prefix);
    let rows = 0;
    for (let from: string | undefined = gte; from !== undefined && rows < most; ) {
      const options = { gte: from, lt, limit: countedAtOnce };
      const keys: readonly string[] = await gate.read(() => engine.keys(options).all());
      rows += keys.length;
      const last = keys.at(-1);
      from = last === undefined || keys.length < countedAtOnce ? undefined : keyAfter(last);
      // Requests come first.
      await nextTurn();
      if (isPaused()) return rows;
    }
    if (this.#sizes.size >= sizesMax) this.#sizes.clear();
    this.#sizes.set(prefix, { rows, isExact: rows < most });
    return rows;
  }

  /** Copies what layers have together to a new layer, and puts it in their place. Returns whether anything uses it. */
  async #copy(account: string, copied: LayerList, isPaused: () => boolean): Promise<boolean> {
    const { queue, clock, dead, users } = this.#parts;
    const layer = { account, id: newTableId(clock.nextTimestamp()) };
    const marker = encodeDroppedKey(account, layer.id);
    const hold = users.hold(copied);
    let isUsed = false;
    try {
      await queue.add([{ key: marker, value: '' }]);
      const prefix = prefixOfLayer(layer);
      for await (const { rows, texts } of readLayers(this.#parts, copied)) {
        if (isPaused()) return false;
        await queue.add(rows.map((row, at) => ({ key: prefix + row, value: texts[at] ?? '' })));
      }
      isUsed = !isPaused() && [...allLayers(this.#parts)].some((layers) => withLayer(layers, copied, layer));
      users.release(hold);
      const unmarked: PendingChange = { records: [{ key: marker, value: null }], written: () => {} };
      if (isUsed) await this.#write(unmarked, ...replaceLayers(this.#parts, copied, layer));
      return isUsed;
    } finally {
      users.release(hold);
      // After a failed commit the reopened store sweeps it.
      if (!isUsed && !queue.hasFailed) dead.drop(account, layer.id);
    }
  }
}
