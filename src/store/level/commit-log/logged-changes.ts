import type { RecordChange } from '../engine.js';
import type { StoredRange } from '../key-encoding.js';

/** The newest changes that are in the log and that the engine may lack, by key. */
export class LoggedChanges {
  #waiting = new Map<string, RecordChange>();
  /** Those of the batch in progress. The engine may have them already. */
  #taken: ReadonlyMap<string, RecordChange> | undefined;

  /** How many changes are in no batch yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns the newest change of a record; undefined if the engine has it. */
  get(key: string): RecordChange | undefined {
    if (this.#waiting.size === 0 && !this.#taken) return undefined;
    return this.#waiting.get(key) ?? this.#taken?.get(key);
  }

  /** Returns the newest changes of a range, in the order of their keys. */
  within({ gte, lt }: StoredRange): readonly RecordChange[] {
    if (this.#waiting.size === 0 && !this.#taken) return [];
    const found: RecordChange[] = [];
    for (const [key, change] of this.#waiting) if (key >= gte && key < lt) found.push(change);
    for (const [key, change] of this.#taken ?? []) {
      if (key >= gte && key < lt && !this.#waiting.has(key)) found.push(change);
    }
    return found.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  add(change: RecordChange): void {
    this.#waiting.set(change.key, change);
  }

  /** Returns the changes that wait, for a batch. One batch at a time may have some. */
  take(): Iterable<RecordChange> {
    const taken = this.#waiting;
    this.#taken = taken;
    this.#waiting = new Map();
    return taken.values();
  }

  /** Forgets the changes of the batch, which is written. */
  forgetTaken(): void {
    this.#taken = undefined;
  }

  /** Forgets all changes, because the engine has them. */
  clear(): void {
    this.#waiting = new Map();
    this.#taken = undefined;
  }

  /** Lets the changes of the batch wait again, because it failed. Newer ones stay. */
  returnTaken(): void {
    this.#waiting = new Map([...(this.#taken ?? []), ...this.#waiting]);
    this.#taken = undefined;
  }
}
