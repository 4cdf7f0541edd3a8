/** How many buckets the keys are in: a power of two, about as many as changes. */
const bucketsCount = 8192;

/** How many characters of each part of a key decide its bucket: keys mostly differ at their ends. */
const hashedUnits = 16;

/** A text as its UTF-16 code units. */
export interface Units {
  readonly length: number;
  charCodeAt(index: number): number;
}

/** Finds the positions of a key in a ring: the newest one, and from each one the one before of the same bucket. */
export class KeyIndex {
  readonly #newest = new Float64Array(bucketsCount);
  /** By the slot of a position: how far before it the next older one of its bucket is; 0 if there is none. */
  readonly #distances: Uint32Array;

  /** Finds keys in a ring of this many slots. */
  constructor(capacity: number) {
    this.#distances = new Uint32Array(capacity);
  }

  /** Adds the key at a position, from 1. Positions only grow. */
  add(seq: number, partitionKey: Units, rowKey: Units): void {
    const bucket = bucketOf(partitionKey, rowKey);
    const before = this.#newest[bucket] ?? 0;
    const distance = seq - before;
    this.#distances[seq % this.#distances.length] = before > 0 && distance < this.#distances.length ? distance : 0;
    this.#newest[bucket] = seq;
  }

  /** Returns the newest position that may have a key; 0 if none has it. It may be overwritten. */
  newest(partitionKey: string, rowKey: string): number {
    return this.#newest[bucketOf(partitionKey, rowKey)] ?? 0;
  }

  /** Returns the next older position that may have the same key as the one at a position; 0 if none has it. */
  before(seq: number): number {
    const distance = this.#distances[seq % this.#distances.length] ?? 0;
    return distance === 0 ? 0 : seq - distance;
  }
}

/** Returns the bucket of a key, by the FNV-1a hash of the ends of its parts. */
function bucketOf(partitionKey: Units, rowKey: Units): number {
  return addEnd(addEnd(2_166_136_261, partitionKey), rowKey) & (bucketsCount - 1);
}

function addEnd(hash: number, text: Units): number {
  let sum = hash;
  for (let at = Math.max(0, text.length - hashedUnits); at < text.length; at++) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 16_777_619);
  }
  // The low bits of the product alone would not depend on the high ones of the last characters.
  return sum ^ (sum >>> 15);
}
