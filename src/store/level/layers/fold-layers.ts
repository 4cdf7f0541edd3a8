import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PendingChange } from '../directories/pending-values.js';
import { type Layer, newTableId, type TableRecord } from '../directories/table-directory.js';
import { encodeDroppedKey, entityPrefix, keyAfter, wholeTable } from '../engine/key-encoding.js';
import type { LevelParts } from '../level-table.js';
import { type MergedRecords, mergeRecords, sourcesOf } from '../read/merge-rows.js';
import { chooseFolded } from './choose-folded.js';
import { dropLayers } from './drop-tables.js';

/** Of how many layers the size is remembered. Ours: it only saves counting. */
const sizesMax = 1024;

/** How much further than it is asked for a layer is counted, so that it need not be counted again soon. */
const countedAhead = 4;

/** How many keys are counted at a time. */
const countedAtOnce = 1000;

/** What folding needs besides the parts of its store. */
export interface LayerFolderOptions {
  /** Writes changes in one batch. Readers see them when it is written. */
  readonly write: (...changes: readonly PendingChange[]) => Promise<void>;
  /** Is called with errors. */
  readonly report: (error: unknown) => void;
}

/**
 * Keeps the number of layers of a table small, in the background: writes one new layer with what some layers have together,
 * then puts it in their place. `chooseFolded` chooses them so that a row is not copied often.
 *
 * Layers never change, so they can be read while everything else goes on. Until the new layer is used, a record marks it as
 * dropped, so that it is swept after a crash.
 */
export class LayerFolder {
  readonly #parts: LevelParts;
  readonly #options: LayerFolderOptions;
  /** The sizes of layers, which never change: exact, or a number that they have at least. */
  readonly #sizes = new Map<string, { readonly rows: number; readonly isExact: boolean }>();
  #working: Promise<void> | undefined;
  #isWanted = false;
  #isPaused = false;

  constructor(parts: LevelParts, options: LayerFolderOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Looks for tables with many layers. */
  wake(): void {
    if (this.#isPaused) return;
    this.#isWanted = true;
    this.#working ??= this.#work()
      .catch(this.#options.report)
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** Looks for tables again, after the engine was opened. */
  resume(): void {
    this.#isPaused = false;
    this.wake();
  }

  /** Resolves when no table is being folded. */
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
      const { tables } = this.#parts;
      for (const { account, table } of [...tables.allPending()]) {
        if (this.#isPaused) return;
        // Folding another table may have changed the layers of this one.
        const { layers = [] } = tables.findPending(account, table.name) ?? {};
        const folded = await chooseFolded(layers.length, (at, limit) => this.#sizeOf(layers[at], limit));
        if (folded > 0 && !this.#isPaused) await this.#fold(account, layers.slice(0, folded));
      }
    }
  }

  /** Returns the number of rows of a layer, or a number from `limit` on if it has so many. */
  async #sizeOf(layer: Layer | undefined, limit: number): Promise<number> {
    if (!layer) return 0;
    const prefix = entityPrefix(layer.account, layer.id);
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
      if (this.#isPaused) return rows;
    }
    if (this.#sizes.size >= sizesMax) this.#sizes.clear();
    this.#sizes.set(prefix, { rows, isExact: rows < most });
    return rows;
  }

  /** Folds layers, and puts the new one in their place wherever they are used together. */
  async #fold(account: string, folded: readonly Layer[]): Promise<void> {
    const { queue, clock, dead } = this.#parts;
    // A layer may be part of a snapshot whose batch is not written yet.
    await queue.settled();
    const layer = { account, id: newTableId(clock.nextTimestamp()) };
    const marker = encodeDroppedKey(account, layer.id);
    await queue.add([{ key: marker, value: '' }]);
    const isUsed = (await this.#copy(folded, layer)) && (await this.#replace(folded, layer, marker));
    // After a failed batch the reopened store sweeps it.
    if (!isUsed && !queue.hasFailed) dead.drop(account, layer.id);
  }

  /** Copies what layers have together. Returns false if a pause has interrupted it. */
  async #copy(folded: readonly Layer[], { account, id }: Layer): Promise<boolean> {
    const { engine, gate, queue } = this.#parts;
    const prefix = entityPrefix(account, id);
    const prefixes = folded.map((one) => entityPrefix(one.account, one.id));
    if (![...this.#parts.tables.allPending()].some(({ table }) => withLayer(table, folded, { account, id })))
      return false;
    // In short reads, each with its own iterators. Layers do not change; if they are dropped and swept meanwhile, nothing uses the copy.
    let range = wholeTable(prefixes[0] ?? '');
    for (;;) {
      const { rows, texts, last } = await gate.read(() => {
        const hold = (closed: Promise<unknown>) => gate.hold(closed);
        return firstChunk(
          mergeRecords(engine, sourcesOf(queue.tail, prefixes), range, { keepsTombstones: true, hold }),
        );
      });
      // Requests come first.
      await nextTurn();
      if (this.#isPaused) return false;
      if (rows.length > 0) await queue.add(rows.map((row, at) => ({ key: prefix + row, value: texts[at] ?? '' })));
      if (last === undefined) return !this.#isPaused;
      range = { gte: keyAfter(prefixes[0] + last), lt: range.lt };
    }
  }

  /** Returns whether anything uses the new layer. */
  async #replace(folded: readonly Layer[], layer: Layer, marker: string): Promise<boolean> {
    const { tables, snapshots } = this.#parts;
    const changes: PendingChange[] = [];
    for (const { account, table } of [...tables.allPending()]) {
      const layers = withLayer(table, folded, layer);
      if (layers) changes.push(tables.put(account, { ...table, layers }));
    }
    for (const snapshot of snapshots.allPending()) {
      let isChanged = false;
      const accounts = snapshot.accounts.map((account) => ({
        ...account,
        tables: account.tables.map((table) => {
          const layers = withLayer(table, folded, layer);
          isChanged ||= layers !== undefined;
          return layers ? { ...table, layers } : table;
        }),
      }));
      if (isChanged) changes.push(snapshots.put({ ...snapshot, accounts }));
    }
    if (changes.length === 0) return false;
    const unmarked: PendingChange = { records: [{ key: marker, value: null }], written: () => {} };
    await this.#options.write(...changes, unmarked, ...dropLayers(this.#parts, folded));
    return true;
  }
}

/** Returns the layers of a table with the new one in place of those that it was made of; undefined if they are not there. */
function withLayer(
  { layers = [] }: Pick<TableRecord, 'layers'>,
  folded: readonly Layer[],
  layer: Layer,
): readonly Layer[] | undefined {
  const isSame = (one: Layer | undefined, other: Layer) => one?.id === other.id && one.account === other.account;
  const at = layers.findIndex((_, start) => folded.every((other, offset) => isSame(layers[start + offset], other)));
  return at < 0 ? undefined : [...layers.slice(0, at), layer, ...layers.slice(at + folded.length)];
}

async function firstChunk(chunks: AsyncIterable<MergedRecords>): Promise<MergedRecords> {
  for await (const chunk of chunks) return chunk;
  return { rows: [], texts: [], last: undefined };
}
