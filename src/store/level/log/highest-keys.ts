import type { Engine } from '../engine/engine.js';
import { wholeTable } from '../engine/key-encoding.js';

/** Of how many tables the highest key is kept. (Our choice: few tables get many rows at a time.) */
const tablesMax = 64;

/**
 * The highest keys that the engine has, or had, of some tables. Rows that arrive in the order of their keys are above, so there is no need
 * to look up whether the engine has them.
 *
 * A key is raised before the tail forgets it, so a record above the highest key is in the tail or nowhere.
 */
export class HighestKeys {
  readonly #highest = new Map<string, string>();
  readonly #wanted = new Set<string>();

  /** Whether the engine lacks a record for certain, unless the tail has it. */
  lacks(prefix: string, key: string): boolean {
    const highest = this.#highest.get(prefix);
    return highest !== undefined && key > highest;
  }

  /** Asks for a table, with the next `learn`. */
  want(prefix: string): void {
    if (!this.#highest.has(prefix)) this.#wanted.add(prefix);
  }

  /** Reads the highest keys of the wanted tables. Nothing may be written to the engine until it ends. */
  async learn(engine: Engine): Promise<void> {
    for (const prefix of this.#wanted) {
      try {
        const [highest = prefix] = await engine.keys({ ...wholeTable(prefix), reverse: true, limit: 1 }).all();
        const [oldest = ''] = this.#highest.keys();
        if (this.#highest.size >= tablesMax) this.#highest.delete(oldest);
        this.#highest.set(prefix, highest);
      } catch {
        // The table stays unknown, so its rows are looked up. Those that are damaged are reported then, and others can be written.
      }
    }
    this.#wanted.clear();
  }

  /** Must be called with all keys that the engine got, before the tail forgets them. */
  raise(prefix: string, keys: Iterable<string>): void {
    let highest = this.#highest.get(prefix);
    if (highest === undefined) return;
    for (const key of keys) if (key > highest) highest = key;
    this.#highest.set(prefix, highest);
  }
}
