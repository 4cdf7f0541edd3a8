import type { RecordChange } from './engine.js';

/** A change that is decided but not yet written: its records, and what to call when they are written. */
export interface PendingChange {
  readonly records: readonly RecordChange[];
  readonly written: () => void;
}

/**
 * Values that are decided but not yet written. Writes are judged on them; readers do not see them, since the batch
 * that writes them may fail.
 */
export class PendingValues<T> {
  readonly #entries = new Map<string, { readonly value: T }>();

  /** Returns whether nothing waits. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Returns the newest value that waits under a key, in a box since the value can be undefined. */
  get(key: string): { readonly value: T } | undefined {
    return this.#entries.get(key);
  }

  /** Returns all keys that wait, with their newest values. */
  entries(): Iterable<[string, { readonly value: T }]> {
    return this.#entries;
  }

  /** Adds a value, and returns what to call when it is written. */
  add(key: string, value: T): () => void {
    const entry = { value };
    this.#entries.set(key, entry);
    return () => {
      // A newer value may wait under the same key.
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
  }

  /** Drops all values: the batch they waited for failed. */
  clear(): void {
    this.#entries.clear();
  }
}
