import type { EntityKey } from '../../entity/stored/entity.js';
import { ownText } from '../../remembered.js';

/** Estimated memory limit for the keys. Unit: bytes. (Our choice: about half a million keys of 30 characters.) */
const keptBytes = 64 * 1024 * 1024;

/** Estimated memory of a kept key beside its characters, and of the first key of a table. Unit: bytes. */
const [keyBytes, tableBytes] = [64, 512];

/** The keys of the rows that a dry run would have imported, as many as there is room for. */
export class SeenKeys {
  readonly #keys = new Map<string, Set<string>>();
  #room: number;
  #notKept = 0;

  /** `room`: memory limit in bytes. */
  constructor(room = keptBytes) {
    this.#room = room;
  }

  /** Number of keys for which there was no room; some may be equal. */
  get notKept(): number {
    return this.#notKept;
  }

  /** Adds the key of a row. Returns whether it was present. */
  add(table: string, { partitionKey, rowKey }: EntityKey): boolean {
    const kept = this.#keys.get(table);
    const keys = kept ?? new Set();
    const key = `${partitionKey}\0${rowKey}`;
    if (keys.has(key)) return true;
    const bytes = keyBytes + 2 * key.length + (kept ? 0 : tableBytes + 2 * table.length);
    if (bytes > this.#room) {
      this.#notKept++;
      return false;
    }
    this.#room -= bytes;
    // Both may be joined from parts of a row of megabytes.
    keys.add(ownText(key));
    if (!kept) this.#keys.set(ownText(table), keys);
    return false;
  }
}
