import type { EntityText } from '../../entity/entity.js';
import type { CommitQueue } from './commit-queue.js';
import { type Engine, type RecordChange, tombstone } from './engine.js';
import { entityPrefix, moveRange, type StoredRange } from './key-encoding.js';
import { mergeLayers } from './merge-layers.js';
import type { RangeReading } from './read-range.js';
import type { Layer } from './table-directory.js';

/** The parts of a store that layers are read from. */
export interface LayerSource {
  readonly engine: Engine;
  readonly queue: CommitQueue;
}

/**
 * The rows of a table with layers. A row of the table itself hides those below it, and a tombstone hides them without
 * being a row. All keys are those that the rows have in the table itself.
 *
 * Readers find the table when the batch that froze its layers is written, and then nothing below changes. Writers find it
 * before, so they also look at the changes of the layers that are decided and not written.
 */
export class LayeredRows {
  readonly #source: LayerSource;
  readonly #prefix: string;
  /** The prefixes of the layers, nearest first. */
  readonly #below: readonly string[];

  constructor(source: LayerSource, prefix: string, layers: readonly Layer[]) {
    this.#source = source;
    this.#prefix = prefix;
    this.#below = layers.map(({ account, id }) => entityPrefix(account, id));
  }

  /** Returns a row as it was last written. */
  read(key: string): EntityText | undefined {
    const { engine } = this.#source;
    return this.#find(key, [this.#prefix, ...this.#below], (stored) => engine.getSync(stored));
  }

  /** Returns a row as it will be when all pending changes are written. */
  readPending(key: string): EntityText | undefined {
    return this.#find(key, [this.#prefix, ...this.#below], (stored) => this.#storedPending(stored));
  }

  /** Returns the records of changes. A deleted row gets a tombstone if a layer has it. */
  hide(changes: readonly RecordChange[]): readonly RecordChange[] {
    return changes.map(({ key, value }) => {
      const isBelow = value === null && this.#find(key, this.#below, (stored) => this.#storedPending(stored));
      return { key, value: isBelow ? tombstone : value };
    });
  }

  /** Yields the rows of a range in chunks, as `readRange` does. */
  readRange(range: StoredRange, reading: RangeReading): AsyncGenerator<readonly EntityText[]> {
    const ranges = [this.#prefix, ...this.#below].map((prefix) => ({
      prefix,
      range: moveRange(range, this.#prefix, prefix),
    }));
    return mergeLayers(this.#source.engine, ranges, reading);
  }

  #find(key: string, prefixes: readonly string[], read: (key: string) => string | undefined): EntityText | undefined {
    const row = key.slice(this.#prefix.length);
    for (const prefix of prefixes) {
      const text = read(prefix + row);
      if (text !== undefined) return text === tombstone ? undefined : text;
    }
    return undefined;
  }

  #storedPending(key: string): string | undefined {
    const { engine, queue } = this.#source;
    const pending = queue.pending(key);
    return pending ? (pending.value ?? undefined) : engine.getSync(key);
  }
}
