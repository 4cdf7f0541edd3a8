import type { RecordChange } from '../engine/engine.js';

/** A change that is decided but not yet written. */
export interface PendingChange {
  readonly records: readonly RecordChange[];
  /** To be called when the records are written. */
  readonly written: () => void;
}

/**
 * Values that are decided but not yet written. Writers use them; readers do not see them, because the batch that writes
 * them may fail.
 */
export class PendingValues<T> {
  readonly #entries = new Map<string, { readonly value: T }>();

  /** Returns whether no value is pending. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Returns the newest pending value of a key, in an object because the value can be undefined. */
  get(key: string): { readonly value: T } | undefined {
    return this.#entries.get(key);
  }

  /** Returns all keys with a pending value, and the newest value of each. */
  entries(): Iterable<[string, { readonly value: T }]> {
    return this.#entries;
  }

  /** Adds a value. Returns a function to call when it is written. */
  add(key: string, value: T): () => void {
    const entry = { value };
    this.#entries.set(key, entry);
    return () => {
      // A newer value of the same key stays pending.
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
  }

  /** Removes all values, after their batch has failed. */
  clear(): void {
    this.#entries.clear();
  }
}
