import type { EntityKey } from '../entity/entity.js';

/** Most memory that the keys take, as estimated. Unit: bytes. Ours: about half a million keys of 30 characters. */
const keptBytes = 64 * 1024 * 1024;

/** Estimated memory of a kept key beside its characters. Unit: bytes. */
const keyBytes = 64;

/** The keys of the rows that a dry run would have imported, as many as there is room for. */
export class SeenKeys {
  readonly #keys = new Map<string, Set<string>>();
  #room: number;
  #notKept = 0;

  /** `room` is the most memory that it may take, in bytes. */
  constructor(room = keptBytes) {
    this.#room = room;
  }

  /** How many keys were not kept. Two of them may be the same. */
  get notKept(): number {
    return this.#notKept;
  }

  /** Notes the key of a row of a table. Returns whether it was there. */
  add(table: string, { partitionKey, rowKey }: EntityKey): boolean {
    const keys = this.#keys.get(table) ?? new Set();
    const key = `${partitionKey}\0${rowKey}`;
    if (keys.has(key)) return true;
    const bytes = keyBytes + 2 * key.length;
    if (bytes > this.#room) {
      this.#notKept++;
      return false;
    }
    this.#room -= bytes;
    this.#keys.set(table, keys.add(key));
    return false;
  }
}
