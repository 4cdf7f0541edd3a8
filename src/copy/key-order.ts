import type { Row } from './rows/row.js';

/** Keeps the order of writes to one entity, for sources that may have a key twice. */
export class KeyOrder {
  readonly #writes = new Map<string, Promise<unknown>>();

  /** Runs a write of rows after the earlier writes of the same keys. */
  async run<T>(rows: readonly Row[], write: () => Promise<T>): Promise<T> {
    const keys = rows.map(({ partitionKey, rowKey }) => JSON.stringify([partitionKey, rowKey]));
    const before = new Set(keys.flatMap((key) => this.#writes.get(key) ?? []));
    const done = Promise.allSettled(before).then(write);
    const settled = done.catch(() => {});
    for (const key of keys) this.#writes.set(key, settled);
    try {
      return await done;
    } finally {
      for (const key of keys) if (this.#writes.get(key) === settled) this.#writes.delete(key);
    }
  }
}
