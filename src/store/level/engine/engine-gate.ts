/** The time that a write turn waits for readers before it blocks new ones. Unit: milliseconds. (Our choice: most pages take less.) */
const patienceMs = 1000;

/**
 * Keeps the batches of an engine apart from its iterators and snapshots: a write turn begins when no reader is inside, and readers wait
 * until it ends. Lookups of single keys need no gate, because they take no snapshot.
 *
 * LevelDB 1.20 can bring overwritten rows back. If two versions of a key are in two files of one level, a compaction may move only the
 * newer one down, and reads then find the older version first. Two versions exist only if a snapshot, such as an iterator, was open when
 * the newer one was written. Source: LevelDB, issue 320.
 */
export class EngineGate {
  #readers = 0;
  #turn: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  /** Returns the turn that a reader must await; undefined if it may enter now. */
  get opening(): Promise<void> | undefined {
    return this.#turn;
  }

  /** Begins a read. Only while `opening` is undefined. */
  enter(): void {
    this.#readers++;
  }

  leave(): void {
    this.#readers--;
    if (this.#readers === 0) this.#onEmpty?.();
  }

  /** Keeps the caller's read inside until its iterator or snapshot is closed. */
  hold(closed: Promise<unknown>): void {
    this.#readers++;
    closed.then(
      () => this.leave(),
      () => this.leave(),
    );
  }

  async read<T>(work: () => Promise<T>): Promise<T> {
    while (this.#turn) await this.#turn;
    this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Runs a write turn, one at a time. After `waitMs` of waiting for readers, it blocks new ones. */
  async write(work: () => Promise<void>, waitMs = patienceMs): Promise<void> {
    if (this.#readers > 0 && waitMs > 0) await this.#untilEmpty(waitMs);
    let open = () => {};
    this.#turn = new Promise((resolve) => {
      open = resolve;
    });
    try {
      if (this.#readers > 0) await this.#untilEmpty();
      await work();
    } finally {
      this.#turn = undefined;
      open();
    }
  }

  async #untilEmpty(waitMs?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
      if (waitMs !== undefined) timer = setTimeout(resolve, waitMs);
    });
    clearTimeout(timer);
    this.#onEmpty = undefined;
  }
}
