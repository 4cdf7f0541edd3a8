import type { Engine, RecordChange } from '../engine/engine.js';
import type { EngineGate } from '../engine/engine-gate.js';
import { CatchUp } from './catch-up.js';
import type { CommitLog } from './commit-log.js';
import { Tail } from './tail.js';

/** The dependencies of a queue, except its engine. */
interface CommitQueueOptions {
  readonly log: CommitLog;
  readonly gate: EngineGate;
  /** Whether a commit must be on disk before it is acknowledged. */
  readonly isSynced: boolean;
  /** Returns a record to add to the next commit, if any. */
  readonly extraRecord: () => RecordChange | undefined;
  /** Is called with the changes of each commit. The tail has them until `onCaughtUp`. */
  readonly onCommitted: (changes: readonly RecordChange[]) => void;
  readonly onCaughtUp: () => void;
  /** Throws while the disk lacks space to apply a log of this size. Unit: bytes. Absent: never. */
  readonly checkFreeSpace?: (unprovedBytes: number) => Promise<void>;
  /** Is called when the log or the engine fails, before the waiting changes fail, too. */
  readonly onFailed: () => void;
}

/**
 * Groups changes that arrive together into one commit: they are written to the log, then readers see them in the tail, and then they are
 * acknowledged. The engine gets them later.
 *
 * A writer reads a record from `pending`, or from the engine if nothing is pending. It decides on that state and calls `add` before it
 * awaits anything, so each decision sees the results of earlier ones. If a commit fails, all waiting changes fail too, because they
 * depend on writes that did not happen.
 *
 * After a failure the queue rejects changes until the engine is reopened: LevelDB would append to its log after a failed write, but would
 * not read past that write at the next start.
 */
export class CommitQueue {
  readonly tail = new Tail();
  readonly #catchUp: CatchUp;
  readonly #options: CommitQueueOptions;
  #waiting: CommitGroup | undefined;
  #current: CommitGroup | undefined;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isStopped = false;
  /** Whether the last group had one writer, and no second writer arrived in that turn of the event loop. */
  #isLone = false;

  constructor(engine: Engine, options: CommitQueueOptions) {
    const { log, gate, onCaughtUp, checkFreeSpace = async () => {} } = options;
    const { tail } = this;
    tail.last = log.last;
    this.#options = options;
    const onFailed = (error: unknown) => this.#fail(error);
    this.#catchUp = new CatchUp(engine, { log, tail, gate, checkFreeSpace, onCaughtUp, onFailed });
  }

  /** Returns the newest value of a record, written or pending: null if it is deleted, undefined if the engine has it. */
  pending(prefix: string, key: string): string | null | undefined {
    const waiting = this.#waiting?.newest.get(key);
    if (waiting !== undefined) return waiting;
    const current = this.#current?.newest.get(key);
    return current === undefined ? this.tail.get(prefix, key) : current;
  }

  /** Returns the newest changes of a table that the engine may lack, written or pending, in key order. */
  changesOf(prefix: string): readonly RecordChange[] {
    const changes = new Map(this.tail.slice(prefix).map((change) => [change.key, change]));
    for (const group of [this.#current, this.#waiting]) {
      for (const [key, value] of group?.newest ?? []) if (key.startsWith(prefix)) changes.set(key, { key, value });
    }
    return [...changes.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Whether the log or the engine has failed since the last opening. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Accepts changes again, after a reopening of the engine. Errors: those of the log and the engine. */
  async resume(): Promise<void> {
    await this.#catchUp.resume();
    this.#failure = undefined;
    if (this.tail.waiting > 0) this.#catchUp.wake();
  }

  /**
   * Adds changes to the next commit, all or none. Resolves when it is written. Calls `effect` just before, in the turn in which readers
   * first see the changes.
   */
  add(changes: readonly RecordChange[], effect?: () => void): Promise<void> {
    if (this.#failure) {
      // Discards the pending decisions.
      this.#options.onFailed();
      return Promise.reject(this.#failure.error);
    }
    if (this.#isStopped) return Promise.reject(new Error('the store is closed'));
    if (
      this.#isLone &&
      !this.#writing &&
      !this.#options.isSynced &&
      !this.#catchUp.isFull &&
      this.#options.log.isQuick(changes)
    ) {
      return this.#writeAlone(changes, effect);
    }
    this.#waiting ??= startGroup();
    const group = this.#waiting;
    group.writers++;
    for (const change of changes) {
      group.changes.push(change);
      group.newest.set(change.key, change.value);
    }
    if (effect) group.effects.push(effect);
    this.#writing ??= this.#writeGroups();
    return group.written;
  }

  /**
   * Resolves when the basis of a decision without changes is written. Must be called in the turn of the decision. Fails if that write
   * fails, or has just failed: a decision may come before its writer is notified.
   */
  confirm(): Promise<void> {
    return this.#failure ? Promise.reject(this.#failure.error) : this.settled();
  }

  /** Resolves when all changes so far are written. Fails if they cannot be. */
  async settled(): Promise<void> {
    await (this.#waiting ?? this.#current)?.written;
  }

  /** Rejects changes from now on, and drains. A later change would be lost with the log. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.drain();
  }

  /** Resolves when no change is waiting or in progress. The engine may still lack the tail. */
  async drain(): Promise<void> {
    while (this.#writing) await this.#writing;
    await this.#catchUp.pause();
  }

  /** Resolves when the engine has all commits so far. Errors: those of the log and the engine. */
  async catchUp(): Promise<void> {
    await this.#catchUp.run();
    if (this.#failure) throw this.#failure.error;
  }

  async #writeGroups(): Promise<void> {
    // Lets more changes arrive. A lone writer awaits nothing, but still yields: the caller must set `#writing` first.
    await (this.#isLone ? undefined : new Promise((resolve) => setImmediate(resolve)));
    for (let group = this.#waiting; group; group = this.#waiting) {
      if (this.#catchUp.isFull) await this.#catchUp.run();
      // A failure has settled the group.
      if (this.#waiting !== group) continue;
      this.#waiting = undefined;
      this.#isLone = group.writers === 1;
      await this.#writeGroup(group);
    }
    this.#writing = undefined;
  }

  #writeAlone(changes: readonly RecordChange[], effect: (() => void) | undefined): Promise<void> {
    this.#isLone = false;
    setImmediate(() => {
      this.#isLone ||= !this.#writing;
    });
    const all = this.#withExtra(changes);
    try {
      if (all.length > 0) this.#options.log.append(all);
    } catch (error) {
      this.#fail(error);
      return Promise.reject(error);
    }
    this.#show(all);
    effect?.();
    return Promise.resolve();
  }

  async #writeGroup(group: CommitGroup): Promise<void> {
    const { log, isSynced } = this.#options;
    const changes = this.#withExtra(group.changes);
    this.#current = group;
    try {
      if (changes.length > 0) {
        if (log.isQuick(changes)) log.append(changes);
        else await log.appendLater(changes);
        if (isSynced) await log.sync();
      }
    } catch (error) {
      this.#current = undefined;
      this.#fail(error);
      // A start must not find the rejected commits. If this write fails, too, only a kill before the repair of the log can reveal them.
      await log.cancel(this.tail.last).catch(() => {});
      group.settle(error);
      return;
    }
    this.#current = undefined;
    this.#show(changes);
    for (const effect of group.effects) effect();
    // The engine has failed meanwhile: discards later decisions, too.
    if (this.#failure) this.#options.onFailed();
    group.settle();
  }

  #withExtra(changes: readonly RecordChange[]): readonly RecordChange[] {
    const extra = changes.length > 0 ? this.#options.extraRecord() : undefined;
    return extra ? [...changes, extra] : changes;
  }

  /** Shows logged changes to readers. */
  #show(changes: readonly RecordChange[]): void {
    for (const { key, value } of changes) this.tail.add(key, value);
    this.tail.last = this.#options.log.last;
    this.#options.onCommitted(changes);
    this.#catchUp.wake();
  }

  /** Rejects changes from now on, and fails the waiting ones. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#options.onFailed();
    waiting?.settle(error);
  }
}

interface CommitGroup {
  readonly changes: RecordChange[];
  /** The newest value of each record, null if it is deleted. */
  readonly newest: Map<string, string | null>;
  /** The number of calls of `add`. */
  writers: number;
  /** Called in order once the commit is written, before it is acknowledged. */
  readonly effects: (() => void)[];
  readonly written: Promise<void>;
  readonly settle: (error?: unknown) => void;
}

function startGroup(): CommitGroup {
  let settle: CommitGroup['settle'] = () => {};
  const written = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Each writer handles the failure itself. Without this, a group without writers would end the process.
  written.catch(() => {});
  return { changes: [], newest: new Map(), writers: 0, effects: [], written, settle };
}
