import type { Exchange, ExchangeResult } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import type { UndoReport, UndoSummary } from './contract.js';
import { concernsOf } from './named-states.js';
import { StateFault } from './state-fault.js';
import { keptOf, type UndoneTables, type UndoRecord, UndoRecords } from './undo-records.js';

/** A call that removes data. */
export interface Removal extends UndoneTables {
  /** Describes the call for people. */
  readonly what: string;
}

/** A long call, which may leave part of its changes if it fails. */
export interface LongRemoval extends Removal {
  /** Keys of the changed tables by account, complete once the call has ended. Absent: all tables that it names. */
  readonly touched?: ReadonlyMap<string, ReadonlySet<string>>;
  /** The undo ID of an earlier call whose snapshot also covers this one. */
  readonly joined?: string | undefined;
}

/** The dependencies of `Undos`. */
export interface UndosOptions {
  readonly store: Store;
  /** Whether removals from an account can be undone. */
  readonly keeps: (account: string) => boolean;
  /** Whether memory is too full to keep removed data. */
  readonly isFull: () => boolean;
  /** Whether this server serves an account. */
  readonly serves: (account: string) => boolean;
  /** Receives the errors of background work. */
  readonly report: (error: unknown) => void;
}

/**
 * Takes a snapshot of the tables that a call may change, and restores it on undo. That removes later writes to these tables;
 * a second undo restores them. Only long calls on PostgreSQL copy entities: imports and deletions by a filter or partition.
 */
export class Undos {
  readonly #options: UndosOptions;
  readonly records: UndoRecords;
  /** The newest undo or joined call; see `#inTurn`. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: UndosOptions) {
    this.#options = options;
    this.records = new UndoRecords({
      snapshots: options.store.snapshots,
      isFull: options.isFull,
      report: options.report,
    });
  }

  /** Returns the calls that can be undone, the newest last. */
  async list(): Promise<readonly UndoSummary[]> {
    return (await this.records.list()).map(({ id, what, at, until }) => ({ id, what, at, until }));
  }

  /** Atomically replaces or removes whole tables and keeps them. Returns undefined, without a change, if the snapshot is missing. */
  async exchange(removal: Removal & Exchange): Promise<(ExchangeResult & { readonly undo?: string }) | undefined> {
    const { store, report } = this.#options;
    if (!(await this.#keeps(removal))) return store.snapshots.exchange(removal);
    const id = await this.records.newId();
    const exchanged = await store.snapshots.exchange(removal, {
      ...keptOf(id),
      note: this.records.noteOf(id, removal),
    });
    await this.records.dropOld().catch(report);
    return exchanged && { ...exchanged, undo: id };
  }

  /**
   * Takes a snapshot and runs `remove`, which must start synchronously, so that on LevelDB no write comes between the two. If the
   * snapshot fails, reports the error and returns no id.
   */
  async keep<T extends object>(
    removal: LongRemoval,
    remove: () => Promise<T>,
  ): Promise<T & { readonly undo?: string }> {
    const { what, accounts, table, tablePrefix, isUndo, touched, joined } = removal;
    const { store, report } = this.#options;
    if (!(await this.#keeps(removal))) return remove();
    if (joined !== undefined) return this.#inTurn(() => this.#join(joined, removal, remove));
    const id = await this.records.newId();
    this.records.inFlight.add(id);
    const noteOf = (done: string) => {
      const names = touched?.size ? [...touched].map(([account, keys]) => [account, [...keys]] as const) : undefined;
      return this.records.noteOf(id, { accounts, table, tablePrefix, isUndo, what: done, names });
    };
    // Lets a user undo a partial removal if the server is killed.
    const cut = noteOf(`${what}, which was cut off`);
    const begun = store.snapshots.kept.begin(keptOf(id), accounts, concernsOf(removal, store), cut);
    const [call, snapshot] = await Promise.allSettled([remove(), begun]);
    const hasSucceeded = call.status === 'fulfilled';
    try {
      if (snapshot.status === 'rejected') throw snapshot.reason;
      const hasChanged = hasSucceeded || (touched ? touched.size > 0 : !(call.reason instanceof StateFault));
      if (!hasChanged) await this.records.forget(id);
      else {
        await this.records.add(id, noteOf(hasSucceeded ? what : `${what}, which failed`));
        if (hasSucceeded) return { ...call.value, undo: id };
      }
    } catch (error) {
      report(error);
      await this.records.forget(id);
    } finally {
      this.records.inFlight.delete(id);
    }
    if (!hasSucceeded) throw call.reason;
    return call.value;
  }

  /**
   * Runs a call that the snapshot of an earlier one covers, and renews its expiry. The result has no id if the earlier call was
   * undone or dropped meanwhile. Errors: StateFault if the snapshot does not cover the call.
   */
  async #join<T extends object>(
    id: string,
    { accounts, table }: Removal,
    remove: () => Promise<T>,
  ): Promise<T & { readonly undo?: string }> {
    const earlier = await this.#find(id);
    const isCovered = accounts.every((one) => earlier.accounts.includes(one)) && (earlier.table ?? table) === table;
    if (!isCovered) throw new StateFault('invalid', `${id} is of other tables, and cannot undo this call, too.`);
    await this.records.add(id, this.records.noteOf(id, earlier));
    const result = await remove();
    return (await this.records.list()).some((one) => one.id === id) ? { ...result, undo: id } : result;
  }

  /**
   * Undoes a call, by default the newest that is not an undo. An undo can itself be undone. Errors: StateFault if the call is
   * unknown or has expired, or if this server does not have its accounts.
   */
  undo(id: string | undefined): Promise<Omit<UndoReport, 'ms'>> {
    return this.#inTurn(() => this.#undo(id));
  }

  /**
   * Runs undos and joined calls one at a time: a joined call could not be undone if it ran after the undo of its record, and two
   * undos without an id must undo two calls.
   */
  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Returns whether a call can be undone. When memory is full, it cannot, and all records are dropped to make room. */
  async #keeps({ accounts }: Removal): Promise<boolean> {
    const { keeps, isFull } = this.#options;
    if (!isFull()) return accounts.every(keeps);
    await this.records.dropOld().catch(this.#options.report);
    return false;
  }

  async #undo(id: string | undefined): Promise<Omit<UndoReport, 'ms'>> {
    const { id: of, what, at: _, until: __, ...tables } = await this.#find(id);
    const concerns = concernsOf(tables, this.#options.store);
    const accounts = tables.accounts.map((name) => ({ from: name, to: name, ...(concerns && { concerns }) }));
    const removal = { ...tables, what: `undo ${what}`, isUndo: true, restored: { snapshot: keptOf(of), accounts } };
    const outcome = await this.exchange(removal);
    if (!outcome) throw new StateFault('missing', `${of} was undone or removed just now.`);
    return { id: of, what, tables: outcome.restored, ...(outcome.undo !== undefined && { undo: outcome.undo }) };
  }

  async #find(id: string | undefined): Promise<UndoRecord> {
    const all = await this.records.list();
    const record = all.findLast((one) => (id === undefined ? !one.isUndo : one.id === id));
    const foreign = record?.accounts.find((account) => !this.#options.serves(account));
    if (foreign !== undefined) {
      const fault = `${record?.id} concerns the account ${foreign}, which is not one of this server.`;
      throw new StateFault('missing', `${fault} Ask a server that has it.`);
    }
    if (record) return record;
    const listed = all.map((one) => one.id).join(', ');
    if (id === undefined || listed === '') throw new StateFault('missing', 'Nothing can be undone now.');
    throw new StateFault('missing', `${id} is unknown or has expired. These can be undone: ${listed}.`);
  }
}
