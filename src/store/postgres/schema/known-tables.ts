/** A table as it was last seen. */
export interface KnownTable {
  readonly id: string;
  /** In the letter case of its creation. */
  readonly name: string;
}

/** Number of tables that are remembered. */
const tablesMax = 10_000;

/** Tables as they were last seen. They are guesses that save a read: every statement that uses one proves its id. */
export class KnownTables {
  readonly #tables = new Map<string, KnownTable>();

  /** Returns the table that was last seen under a key. */
  get(key: string): KnownTable | undefined {
    return this.#tables.get(key);
  }

  /** Remembers what was read of a table; undefined for one that is missing. */
  learn(key: string, table: KnownTable | undefined): void {
    if (table === undefined) this.#tables.delete(key);
    else {
      if (this.#tables.size >= tablesMax) this.#tables.clear();
      this.#tables.set(key, table);
    }
  }
}
