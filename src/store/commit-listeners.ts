import type { Change } from '../entity/change.js';
import type { EntityKey, EntityText } from '../entity/entity.js';
import type { JudgedChange } from './judge-changes.js';

/** One entity that a transaction changed. */
export interface CommittedChange {
  readonly kind: Change['kind'];
  readonly key: EntityKey;
  /** The entity after the change; null if it was deleted. */
  readonly text: EntityText | null;
  /** The entity before the change: null if it did not exist, undefined if the change did not read it. */
  readonly previous: EntityText | null | undefined;
  /** The Timestamp of the change. A deletion has one too. */
  readonly timestamp: string;
}

/** Changes of one table that were written together. */
export interface CommittedTransaction {
  readonly account: string;
  /** The name of the table, in the letter case of its creation. */
  readonly table: string;
  /** In the order of the transaction. */
  readonly changes: readonly CommittedChange[];
}

/**
 * Is called once for each transaction, when it is written and before its client gets the answer. The calls are in the
 * order of the commits. A listener delays every write, so it must return quickly.
 */
export type CommitListener = (transaction: CommittedTransaction) => void;

/** The listeners of a store. */
export class CommitListeners {
  readonly #listeners = new Set<CommitListener>();
  readonly #report: (error: unknown) => void;

  /** `report` gets the errors of listeners. */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Returns whether there is no listener. Then an engine does no work for this class. */
  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Adds a listener. Returns a function that removes it. */
  add(listener: CommitListener): () => void {
    // A function of its own, so that a listener that was added twice is also removed twice.
    const own: CommitListener = (transaction) => listener(transaction);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Calls all listeners with a transaction. An error of one is reported and does not affect the write or the others. */
  notify(account: string, table: string, changes: readonly Change[], judged: readonly JudgedChange[]): void {
    const transaction: CommittedTransaction = { account, table, changes: committedChanges(changes, judged) };
    for (const listener of [...this.#listeners]) {
      try {
        listener(transaction);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}

function committedChanges(changes: readonly Change[], judged: readonly JudgedChange[]): CommittedChange[] {
  return judged.flatMap(({ value, previous, timestamp }, at) => {
    const change = changes[at];
    return change ? [{ kind: change.kind, key: change.key, text: value, previous, timestamp }] : [];
  });
}
