/** How many sets of entities are followed, a power of two, and how many entities each has. Ours: what is read often stays. */
const setsCount = 64;
const entitiesOfSet = 4;

/** What is kept of an entity: its hash, when it was read last, when its window began, and how many reads that has. */
const numbersOfEntity = 4;
const numbersOfSet = entitiesOfSet * numbersOfEntity;

/** The beginnings of two hashes, and what they are multiplied with. Sources: FNV-1a; MurmurHash2. */
const beginnings = [2_166_136_261, 0x9747b28c] as const;
const factors = [16_777_619, 0x5bd1e995] as const;

/** What ends a text in a hash. No text has it, because it is larger than a UTF-16 code unit. */
const textEnd = 0x10000;

/** How many bits of the second hash are used. With all of the first one, a number holds them exactly. */
const secondBits = 20;

/**
 * Counts how often the same entity is read, in windows of time.
 *
 * It keeps hashes of 52 bits and no texts: most entities of a loaded server are read once, and a text for each is garbage. A set
 * that is full forgets the entity that was not read for longest.
 */
export class PointReads {
  readonly #numbers = new Float64Array(setsCount * numbersOfSet);
  #reads = 0;

  /**
   * Counts a read of an entity. Returns how many reads its window has. A window that is over begins again. `at` and `lengthMs`
   * are in milliseconds.
   */
  count(account: string, table: string, partitionKey: string, rowKey: string, at: number, lengthMs: number): number {
    let first: number = beginnings[0];
    let second: number = beginnings[1];
    for (let part = 0; part < 4; part++) {
      const text = part === 0 ? account : part === 1 ? table : part === 2 ? partitionKey : rowKey;
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        first = Math.imul(first ^ unit, factors[0]);
        second = Math.imul(second ^ unit, factors[1]);
        second ^= second >>> 13;
      }
      first = Math.imul(first ^ textEnd, factors[0]);
      second = Math.imul(second ^ textEnd, factors[1]);
    }
    const hash = (first >>> 0) * 2 ** secondBits + (second >>> (32 - secondBits));
    return this.#countIn(((first ^ (first >>> 15)) & (setsCount - 1)) * numbersOfSet, hash, at, lengthMs);
  }

  /** Forgets all reads. */
  clear(): void {
    this.#numbers.fill(0);
  }

  /** Counts a read of the entity with a hash in the set that begins at an index. */
  #countIn(set: number, hash: number, at: number, lengthMs: number): number {
    const numbers = this.#numbers;
    let place = set;
    for (let other = set; other < set + numbersOfSet; other += numbersOfEntity) {
      if (numbers[other] === hash) {
        place = other;
        break;
      }
      if ((numbers[other + 1] ?? 0) < (numbers[place + 1] ?? 0)) place = other;
    }
    const since = numbers[place + 2] ?? 0;
    const reads = numbers[place] === hash && at - since < lengthMs ? (numbers[place + 3] ?? 0) : 0;
    numbers[place] = hash;
    numbers[place + 1] = ++this.#reads;
    if (reads === 0) numbers[place + 2] = at;
    numbers[place + 3] = reads + 1;
    return reads + 1;
  }
}
