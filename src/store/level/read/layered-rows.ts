import type { EntityText } from '../../../entity/stored/entity.js';
import type { Layer } from '../directories/table-directory.js';
import { type Engine, type RecordChange, tombstone } from '../engine/engine.js';
import { entityPrefix } from '../engine/key-encoding.js';
import type { CommitQueue } from '../log/commit-queue.js';

/** The parts of a store that layers are read from. */
export interface LayerSource {
  readonly engine: Engine;
  readonly queue: CommitQueue;
}

/**
 * The rows of a table with layers, by key. A row of the table itself hides those below it, and a tombstone hides them without
 * being a row. All keys are those that the rows have in the table itself.
 *
 * Readers find the table when the commit that froze its layers is written, and then nothing below changes. Writers find it
 * before, so they also see the changes of the layers that are decided and not written.
 */
export class LayeredRows {
  readonly #source: LayerSource;
  /** The prefixes of the table and of its layers, nearest first. */
  readonly prefixes: readonly [own: string, ...below: string[]];

  constructor(source: LayerSource, prefix: string, layers: readonly Layer[]) {
    this.#source = source;
    this.prefixes = [prefix, ...layers.map(({ account, id }) => entityPrefix(account, id))];
  }

  /** Returns a row as it was last written. */
  read(key: string): EntityText | undefined {
    const { tail } = this.#source.queue;
    return this.#find(key, (prefix, stored) => tail.get(prefix, stored));
  }

  /** Returns a row as it will be when all pending changes are written. */
  readPending(key: string): EntityText | undefined {
    const { queue } = this.#source;
    return this.#find(key, (prefix, stored) => queue.pending(prefix, stored));
  }

  #find(key: string, newest: (prefix: string, key: string) => string | null | undefined): EntityText | undefined {
    const row = key.slice(this.prefixes[0].length);
    for (const prefix of this.prefixes) {
      const found = newest(prefix, prefix + row);
      const text = found === undefined ? this.#source.engine.getSync(prefix + row) : found;
      if (text !== undefined && text !== null) return text === tombstone ? undefined : text;
    }
    return undefined;
  }
}

/** Returns the records of changes to a table with layers. A deleted row gets a tombstone, whether or not a layer has it. */
export function hideBelow(changes: readonly RecordChange[]): readonly RecordChange[] {
  return changes.map(({ key, value }) => ({ key, value: value ?? tombstone }));
}
