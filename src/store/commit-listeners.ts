import type { Change } from '../entity/stored/change.js';
import type { EntityKey, EntityText } from '../entity/stored/entity.js';
import type { OperationName } from '../protocol/operation-names.js';
import type { ChangeOutcome } from './judge-changes.js';

/** The request behind a commit, for listeners. */
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
  /** Whether the entity did not exist before; undefined if the change did not read it. */
  readonly isNew: boolean | undefined;
  /** The Timestamp of the change. A deletion has one too. */
  readonly timestamp: string;
}

/** Changes of one table that were written together. */
export interface CommittedTransaction {
  readonly account: string;
  /** The table name, in the letter case of its creation. */
  readonly table: string;
  readonly writer: Writer | undefined;
  /** In transaction order. */
  readonly changes: readonly CommittedChange[];
}

/**
 * Is called once per transaction, in commit order, before the client gets its answer. A listener delays every write, so it must
 * return quickly.
 */
export type CommitListener = (transaction: CommittedTransaction) => void;

/** A table that was created or deleted by itself, not with the state of its account. */
export interface TableEvent {
  readonly kind: 'created' | 'deleted';
  readonly account: string;
  /** The table name, in the letter case of its creation. */
  readonly table: string;
}

/** Is called once the table is created or deleted, before the client gets its answer. */
export type TableListener = (event: TableEvent) => void;

/** The texts that a listener receives. With `new`, `previous` is undefined, which spares an engine on a network a read. */
export type ListenerTexts = 'both' | 'new';

/** The listeners of a store. */
export class CommitListeners {
  /** Replaced, never mutated, so that a listener may remove itself. */
  #listeners: readonly CommitListener[] = [];
  /** The listeners that want the texts before the change. */
  readonly #ofBoth = new Set<CommitListener>();
  readonly #ofTables: TableListener[] = [];
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Whether there is no listener, so that an engine can skip all work for this class. */
  get isEmpty(): boolean {
    return this.#listeners.length === 0;
  }

  /** Whether a listener wants the texts before the change. */
  get wantPrevious(): boolean {
    return this.#ofBoth.size > 0;
  }

  /** Adds a listener. Returns a function that removes it. */
  add(listener: CommitListener, texts: ListenerTexts = 'both'): () => void {
    // Wrapped, so that a listener added twice can be removed twice.
    const own: CommitListener = (transaction) => listener(transaction);
    this.#listeners = [...this.#listeners, own];
    if (texts === 'both') this.#ofBoth.add(own);
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== own);
      this.#ofBoth.delete(own);
    };
  }

  /** Adds a listener for tables. */
  addForTables(listener: TableListener): void {
    this.#ofTables.push(listener);
  }

  /** Notifies the listeners for tables. An error in one is reported. */
  notifyOfTable(event: TableEvent): void {
    for (const listener of this.#ofTables) {
      try {
        listener(event);
      } catch (error) {
        this.#report(error);
      }
    }
  }

  /** Notifies all listeners of a transaction. An error in one is reported and affects neither the write nor the others. */
  notify(
    from: Omit<CommittedTransaction, 'changes'>,
    changes: readonly Change[],
    outcomes: readonly ChangeOutcome[],
  ): void {
    const { account, table, writer } = from;
    const committed = committedChanges(changes, outcomes, this.wantPrevious);
    const transaction: CommittedTransaction = { account, table, writer, changes: committed };
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
  outcomes: readonly ChangeOutcome[],
  hasPrevious: boolean,
): CommittedChange[] {
  return outcomes.map(({ value, previous, timestamp }, at) => {
    const { kind, key } = changes[at] as Change;
    const isNew = previous === undefined ? undefined : previous === null;
    return { kind, key, text: value, previous: hasPrevious ? previous : undefined, isNew, timestamp };
  });
}
