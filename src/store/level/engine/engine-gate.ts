/** How long a write turn waits for readers before new ones must wait for it. Unit: milliseconds. (Our choice: longer than nearly all pages.) */
const patienceMs = 1000;

/**
 * Keeps the batches of an engine apart from its iterators and snapshots: a write turn begins when no reader is inside, and readers wait until
 * it ends. Lookups of single keys need no gate, because they take no snapshot.
 *
 * LevelDB 1.20 can bring overwritten rows back. If two versions of a key are in two files of one level, a compaction may move the
 * newer one down alone, and reads then find the older version first. Two versions are kept only while a snapshot lies between them, and
 * an iterator is a snapshot, too. If no batch is written beside one, there never are two. Source: LevelDB, issue 320.
 */
export class EngineGate {
  #readers = 0;
  #turn: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  /** Returns the turn that a reader must await; undefined if it may enter now. */
  get opening(): Promise<void> | undefined {
    return this.#turn;
  }

  /** Begins a read. May be called only while `opening` is undefined. */
  enter(): void {
    this.#readers++;
  }

  /** Ends a read that `enter` began. */
  leave(): void {
    this.#readers--;
    if (this.#readers === 0) this.#onEmpty?.();
  }

  /** Keeps the caller's read inside until an iterator or a snapshot of it is closed. */
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

  /** Runs a write turn. One at a time. New readers wait for it once it has waited for others for some time. */
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
