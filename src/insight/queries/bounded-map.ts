/**
 * A map that forgets the entries that were not used for longest when it is full.
 *
 * It has two generations: new and used entries are in the young one, and when that is full, the old one is forgotten in one
 * piece. To forget single entries would be slower, because a JavaScript Map keeps a gap for each until it is rebuilt.
 */
export class BoundedMap<Value> {
  readonly #generationMax: number;
  readonly #keep: (key: string) => string;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #forgotten = 0;

  /**
   * Keeps at most `max` entries, which is even, and the last half of that for sure. `keep` returns a key as it is kept, such
   * as a copy.
   */
  constructor(max: number, keep: (key: string) => string = (key) => key) {
    this.#generationMax = Math.ceil(max / 2);
    this.#keep = keep;
  }

  /** Returns how many entries were forgotten. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Returns the value of a key, and makes it if there is none. */
  use(key: string, make: () => Value): Value {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const value = this.#old.get(key) ?? make();
    this.#old.delete(key);
    if (this.#young.size >= this.#generationMax) {
      this.#forgotten += this.#old.size;
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(this.#keep(key), value);
    return value;
  }

  /** Returns all values, those that were used longest ago first. */
  values(): readonly Value[] {
    return [...this.#old.values(), ...this.#young.values()];
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#forgotten = 0;
  }
}
