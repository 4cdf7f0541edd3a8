/** Writes changes in groups: while one batch is being written, what arrives forms the next one. Reads see both. */
export class GroupWriter {
  #db;
  #pending = new Map();
  #waiting = [];
  #callers = [];
  #writing;

  constructor(db) {
    this.#db = db;
  }

  /** Returns the value of a key as it will be when everything that waits is written; undefined if there is none. */
  read(key) {
    const pending = this.#pending.get(key);
    return pending === undefined ? this.#db.getSync(key) : (pending.value ?? undefined);
  }

  /** Adds changes to the next batch. Resolves when they are written. */
  add(changes) {
    for (const change of changes) {
      this.#pending.set(change.key, change);
      this.#waiting.push(change);
    }
    const written = new Promise((resolve, reject) => this.#callers.push({ resolve, reject }));
    this.#writing ??= this.#writeAll();
    return written;
  }

  /** Resolves when nothing waits. */
  async idle() {
    await this.#writing;
  }

  async #writeAll() {
    while (this.#waiting.length > 0) {
      const [changes, callers] = [this.#waiting, this.#callers];
      [this.#waiting, this.#callers] = [[], []];
      const batch = this.#db.batch();
      for (const { key, value } of changes) {
        if (value === null) batch.del(key);
        else batch.put(key, value);
      }
      try {
        await batch.write();
      } catch (error) {
        for (const { reject } of callers) reject(error);
        throw error;
      }
      for (const change of changes) if (this.#pending.get(change.key) === change) this.#pending.delete(change.key);
      for (const { resolve } of callers) resolve();
    }
    this.#writing = undefined;
  }
}
