/**
 * Returns a copy that does not share memory. A part of a text keeps the whole text alive, which may be megabytes: a key in
 * the body of a transaction, or the beginning of a long name. Use it for every text of a request that outlives the request.
 */
export function ownText(text: string): string {
  const joined = ` ${text}`;
  // Reading a character makes one text of the two that were joined, and the part refers to that one alone. This takes a third
  // of the time of a copy through bytes.
  joined.charCodeAt(0);
  return joined.slice(1);
}

/**
 * Returns a pure function that remembers its last result, for a key that usually is the same as the one before: all requests of a
 * second have the same date. No answer depends on what is remembered.
 */
export function rememberedLast<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}

/** Returns a memory for results of a pure function, of at most `max`. No answer depends on what is remembered. */
export function remember<Value>(max: number): BoundedMap<Value> {
  return new BoundedMap<Value>(max);
}

/**
 * A map that forgets the entries that were not used for longest when it is full.
 *
 * It has two generations: new and used entries are in the young one, and when that is full, the old one is forgotten in one
 * piece. To forget single entries would be slower, because a JavaScript Map keeps a gap for each until it is rebuilt. Its keys own
 * their text.
 */
export class BoundedMap<Value> {
  readonly #generationMax: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #forgotten = 0;

  /** Keeps at most `max` entries, which is even, and the last half of that for sure. */
  constructor(max: number) {
    this.#generationMax = Math.ceil(max / 2);
  }

  /** Returns how many entries were forgotten. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Returns the value of a key, if it is known. */
  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined || this.#old.size === 0) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    this.#old.delete(key);
    if (this.#young.size >= this.#generationMax && !this.#young.has(key)) {
      this.#forgotten += this.#old.size;
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(ownText(key), value);
  }

  /** Returns the value of a key, and makes it if there is none. */
  use(key: string, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
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
