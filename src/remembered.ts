/**
 * Returns a copy that shares no memory. A substring keeps the whole string alive, perhaps megabytes: a key in the body of a
 * transaction, or the beginning of a long name. Use it for every string of a request that outlives the request.
 */
export function ownText(text: string): string {
  const joined = ` ${text}`;
  // Reading a character flattens the concatenation, and the slice refers only to the flat copy. This takes a third of the time of a
  // copy through bytes.
  joined.charCodeAt(0);
  return joined.slice(1);
}

/** Caches the last result of a pure function, for a key that usually repeats: all requests of a second have the same date. */
export function rememberedLast<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}

/** Creates a cache for at most `max` results of a pure function. */
export function remember<Value>(max: number): BoundedMap<Value> {
  return new BoundedMap<Value>(max);
}

/**
 * A map that evicts the least recently used entries when it is full.
 *
 * New and used entries are in the young generation; when it is full, the whole old generation is dropped at once. Evicting single
 * entries would be slower, because a JavaScript Map keeps a gap for each until it is rebuilt. Keys are copied with `ownText`.
 */
export class BoundedMap<Value> {
  readonly #generationMax: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #forgotten = 0;

  /** Keeps at most `max` entries, rounded up to an even number, and always the last half of that. */
  constructor(max: number) {
    this.#generationMax = Math.ceil(max / 2);
  }

  /** The number of evicted entries. */
  get forgotten(): number {
    return this.#forgotten;
  }

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

  /** Returns the value of a key, and creates a missing one. */
  use(key: string, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Returns all values, those of the old generation first. */
  values(): readonly Value[] {
    return [...this.#old.values(), ...this.#young.values()];
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#forgotten = 0;
  }
}
