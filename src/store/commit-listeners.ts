import type { Change } from '../entity/stored/change.js';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { JudgedChange } from './judge-changes.js';

/** A request that asks a store for changes, for the listeners of commits. */
export interface Writer {
  /** Its `x-ms-request-id` and `x-ms-client-request-id`. */
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
  readonly operation: OperationName;
  /** IP address of the client, and its User-Agent. */
  readonly caller: string;
  readonly userAgent: string | undefined;
}

/** One entity that a transaction changed. */
interface CommittedChange {
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
  /** The request that asked for the changes, as their commit names it. */
  readonly writer: Writer | undefined;
  /** In the order of the transaction. */
  readonly changes: readonly CommittedChange[];
}

/**
 * Is called once for each transaction, when it is written and before its client gets the answer. The calls are in the
 * order of the commits. A listener delays every write, so it must return quickly.
 */
export type CommitListener = (transaction: CommittedTransaction) => void;

/**
 * What a listener wants to know. Without the texts before the change, an engine on a network need not read them, and
 * `previous` is undefined.
 */
export type ListenedTexts = 'both' | 'new';

/** The listeners of a store. */
export class CommitListeners {
  /** Is replaced, never changed, so that a listener may remove itself. */
  #listeners: readonly CommitListener[] = [];
  /** Those that want the texts before the change. */
  readonly #ofBoth = new Set<CommitListener>();
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Returns whether there is no listener. Then an engine does no work for this class. */
  get isEmpty(): boolean {
    return this.#listeners.length === 0;
  }

  /** Returns whether a listener wants the texts before the change. */
  get wantPrevious(): boolean {
    return this.#ofBoth.size > 0;
  }

  /** Adds a listener. Returns a function that removes it. */
  add(listener: CommitListener, texts: ListenedTexts = 'both'): () => void {
    // A function of its own, so that a listener that was added twice is also removed twice.
    const own: CommitListener = (transaction) => listener(transaction);
    this.#listeners = [...this.#listeners, own];
    if (texts === 'both') this.#ofBoth.add(own);
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== own);
      this.#ofBoth.delete(own);
    };
  }

  /** Calls all listeners with a transaction. An error of one is reported and does not affect the write or the others. */
  notify(
    from: Omit<CommittedTransaction, 'changes'>,
    changes: readonly Change[],
    judged: readonly JudgedChange[],
  ): void {
    const { account, table, writer } = from;
    const made = committedChanges(changes, judged, this.wantPrevious);
    const transaction: CommittedTransaction = { account, table, writer, changes: made };
    for (const listener of this.#listeners) {
      try {
        listener(transaction);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}

function committedChanges(
  changes: readonly Change[],
  judged: readonly JudgedChange[],
  hasPrevious: boolean,
): CommittedChange[] {
  return judged.map(({ value, previous, timestamp }, at) => {
    const { kind, key } = changes[at] as Change;
    return { kind, key, text: value, previous: hasPrevious ? previous : undefined, timestamp };
  });
}
