/**
 * Returns a pure function that remembers its last result, for a key that mostly is the same as the one before: all requests of a
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
export function remember<Key, Value>(max: number): Map<Key, Value> {
  return new BoundedMap<Key, Value>(max);
}

/** A map that forgets all that it has when it is full. */
class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#max) this.clear();
    return super.set(key, value);
  }
}
