import type { AbstractLevel } from 'abstract-level';

/** The engine under the store: LevelDB on disk, or its stand-in in memory. Keys and values are text. */
export type Engine = AbstractLevel<string | Buffer | Uint8Array, string, string>;

/** One change of a stored record: its new value, or null to remove it. */
export interface RecordChange {
  readonly key: string;
  readonly value: string | null;
}

interface Group {
  readonly changes: RecordChange[];
  readonly written: Promise<void>;
  readonly settle: (error?: unknown) => void;
}

/**
 * Writes records in groups: one batch is under way, and everything that arrives meanwhile forms the next.
 *
 * A caller judges its conditions on `read` and adds its changes in the same breath, without awaiting between, so
 * judgements are made in arrival order on what will have been written before. If a batch fails, so does everything
 * that waits behind it, for it was judged on writes that never came.
 */
export class CommitQueue {
  readonly #engine: Engine;
  /** Records to be put into every batch, however small: the clock's last instant. */
  readonly #alongside: () => RecordChange;
  readonly #failed: () => void;
  /** `sync` is LevelDB's own; the engine in memory ignores it. */
  readonly #options: object;
  /** What is judged but not yet written. */
  readonly #pending = new Map<string, RecordChange>();
  #waiting: Group | undefined;
  #writing: Promise<void> | undefined;

  constructor(engine: Engine, options: { alongside: () => RecordChange; failed: () => void; sync: boolean }) {
    this.#engine = engine;
    this.#alongside = options.alongside;
    this.#failed = options.failed;
    this.#options = { sync: options.sync };
  }

  /** A record as it will be when everything added so far is written; undefined where there is none. */
  read(key: string): string | undefined {
    const pending = this.#pending.get(key);
    return pending ? (pending.value ?? undefined) : this.#engine.getSync(key);
  }

  /** Adds changes to the next batch, all or none. Resolves when they are written. */
  add(changes: readonly RecordChange[]): Promise<void> {
    this.#waiting ??= startGroup();
    const group = this.#waiting;
    for (const change of changes) {
      group.changes.push(change);
      this.#pending.set(change.key, change);
    }
    this.#writing ??= this.#writeAll();
    return group.written;
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (let group = this.#takeWaiting(); group; group = this.#takeWaiting()) {
      try {
        await this.#engine.batch([...group.changes, this.#alongside()].map(toOperation), this.#options);
        for (const change of group.changes) {
          if (this.#pending.get(change.key) === change) this.#pending.delete(change.key);
        }
        group.settle();
      } catch (error) {
        this.#pending.clear();
        this.#failed();
        group.settle(error);
        this.#takeWaiting()?.settle(error);
      }
    }
    this.#writing = undefined;
  }

  #takeWaiting(): Group | undefined {
    const group = this.#waiting;
    this.#waiting = undefined;
    return group;
  }
}

function startGroup(): Group {
  let settle: Group['settle'] = () => {};
  const written = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Whoever added to the group hears of the failure; a group of nobody must not end the process.
  written.catch(() => {});
  return { changes: [], written, settle };
}

function toOperation({ key, value }: RecordChange) {
  return value === null ? ({ type: 'del', key } as const) : ({ type: 'put', key, value } as const);
}
