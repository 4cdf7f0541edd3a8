import type { Engine, RecordChange } from './engine.js';
import { SharedView } from './shared-view.js';

/** What a queue needs beside its engine. */
export interface CommitQueueOptions {
  /** A record to be put into every batch, however small: the clock's last instant. */
  readonly alongside: () => RecordChange;
  /** Whether there is a view while a batch is under way. */
  readonly keepView: boolean;
  /** Hears of every batch that was written, before those who wait for it do. */
  readonly written: (changes: readonly RecordChange[]) => void;
  /** Hears that a batch could not be written, before those who wait for it do. Nothing that waits will be written. */
  readonly failed: () => void;
  /** What a batch has reached before it counts as written: the operating system, or the disk. */
  readonly durability: 'os' | 'fsync';
}

interface Group {
  readonly changes: RecordChange[];
  /** Called in order when the changes are written, before those who wait hear of it. */
  readonly effects: (() => void)[];
  readonly written: Promise<void>;
  readonly settle: (error?: unknown) => void;
}

/**
 * Writes records in groups: one batch is under way, and everything that arrives meanwhile forms the next.
 *
 * A caller judges its conditions on what is `pending`, else on what is stored, and adds its changes in the same
 * breath, without awaiting between, so judgements are made in arrival order on what will have been written before. If
 * a batch fails, so does everything that waits behind it, for it was judged on writes that never came.
 *
 * Nothing else may write to the engine. A batch that failed has torn its log: LevelDB would go on behind the tear, where
 * the next start finds nothing. So the queue takes no more until it hears that the engine was opened anew.
 */
export class CommitQueue {
  readonly #engine: Engine;
  readonly #alongside: () => RecordChange;
  readonly #keepView: boolean;
  readonly #written: (changes: readonly RecordChange[]) => void;
  readonly #failed: () => void;
  /** The options of LevelDB for each batch. The engine in memory ignores them. */
  readonly #options: object;
  /** What is judged but not yet written. */
  readonly #pending = new Map<string, RecordChange>();
  #waiting: Group | undefined;
  #underWay: Group | undefined;
  #writing: Promise<void> | undefined;
  #view: SharedView | undefined;
  #tear: { readonly error: unknown } | undefined;

  constructor(engine: Engine, options: CommitQueueOptions) {
    this.#engine = engine;
    this.#alongside = options.alongside;
    this.#keepView = options.keepView;
    this.#written = options.written;
    this.#failed = options.failed;
    this.#options = { sync: options.durability === 'fsync' };
  }

  /** What waits to be written of a record; undefined where nothing does. */
  pending(key: string): RecordChange | undefined {
    return this.#pending.get(key);
  }

  /**
   * The engine without the batch that is under way, which it may have written already: `written` is yet to come, and
   * whoever knows some records from there and reads others from the engine would see half of a transaction.
   */
  get view(): SharedView | undefined {
    return this.#view;
  }

  /** Whether a batch failed, and the engine was not opened anew since. */
  get isTorn(): boolean {
    return this.#tear !== undefined;
  }

  /** The engine was opened anew. */
  mended(): void {
    this.#tear = undefined;
  }

  /**
   * Adds changes to the next batch, all or none. Resolves when they are written; calls `effect` just before, so that
   * readers see the changes no earlier than that and no later than the answer.
   */
  add(changes: readonly RecordChange[], effect?: () => void): Promise<void> {
    if (this.#tear) return Promise.reject(this.#tear.error);
    this.#waiting ??= startGroup();
    const group = this.#waiting;
    for (const change of changes) {
      group.changes.push(change);
      this.#pending.set(change.key, change);
    }
    if (effect) group.effects.push(effect);
    this.#writing ??= this.#writeAll();
    return group.written;
  }

  /** Resolves when what was added so far is written, and fails with it: what is pending may never come. */
  async settled(): Promise<void> {
    await (this.#waiting ?? this.#underWay)?.written;
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (let group = this.#takeWaiting(); group; group = this.#takeWaiting()) {
      this.#underWay = group;
      try {
        await this.#write(group.changes);
        this.#closeView();
        this.#written(group.changes);
        for (const change of group.changes) {
          if (this.#pending.get(change.key) === change) this.#pending.delete(change.key);
        }
        for (const effect of group.effects) effect();
        group.settle();
      } catch (error) {
        this.#closeView();
        this.#tear = { error };
        this.#pending.clear();
        this.#failed();
        group.settle(error);
        this.#takeWaiting()?.settle(error);
      }
    }
    this.#underWay = undefined;
    this.#writing = undefined;
  }

  /** Writes one batch. Chained, since putting it together from an array costs three times as much. */
  #write(changes: readonly RecordChange[]): Promise<void> {
    const batch = this.#engine.batch();
    for (const { key, value } of changes) {
      if (value === null) batch.del(key);
      else batch.put(key, value);
    }
    const { key, value } = this.#alongside();
    if (value !== null) batch.put(key, value);
    if (this.#keepView) this.#view = new SharedView(this.#engine);
    return batch.write(this.#options);
  }

  #closeView(): void {
    this.#view?.release();
    this.#view = undefined;
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
  return { changes: [], effects: [], written, settle };
}
