import type { Exchange, Exchanged } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import type { UndoReport, UndoSummary } from './contract.js';
import { concernsOf } from './named-states.js';
import { StateFault } from './state-fault.js';
import { keptOf, type TouchedTables, type UndoneTables, type UndoRecord, UndoRecords } from './undo-records.js';

/** A call that removes something. */
export interface Removal extends UndoneTables {
  /** What it does, in words. */
  readonly what: string;
}

/** A call that replaces or removes whole tables at once. */
export interface ExchangeRemoval extends Removal, Exchange {}

/** A call that takes a while, and is in part made if it fails. */
export interface LongRemoval extends Removal {
  /** The tables that it has changed: complete when it is over. Absent: all that it names. */
  readonly touched?: TouchedTables;
  /** The undo of an earlier call of the same work, which covers this one, too. */
  readonly joined?: string | undefined;
}

/** What undo needs. */
export interface UndosOptions {
  readonly store: Store;
  /** Whether what is removed from an account is kept. */
  readonly keeps: (account: string) => boolean;
  /** Whether this server has an account. */
  readonly serves: (account: string) => boolean;
  /** Gets the errors of background work. */
  readonly report: (error: unknown) => void;
}

/**
 * Takes a snapshot of the tables that a call may change, and restores it. A restore removes what was written to these tables since;
 * another undo brings that back. Only a long call in PostgreSQL copies entities: one that deletes some of them, or imports.
 */
export class Undos {
  readonly #options: UndosOptions;
  readonly #records: UndoRecords;
  /** Undos of this server run one at a time, so two calls without an id undo two calls. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: UndosOptions) {
    this.#options = options;
    this.#records = new UndoRecords({ snapshots: options.store.snapshots, report: options.report });
  }

  /** Removes what an earlier run of the server has kept too long, or could not finish. */
  resume(): Promise<void> {
    return this.#records.resume();
  }

  /** Stops waiting for the end of what is kept. */
  stop(): void {
    this.#records.stop();
  }

  /** Returns what can be undone, the newest call last. */
  async list(): Promise<readonly UndoSummary[]> {
    return (await this.#records.list()).map(({ id, what, at, until }) => ({ id, what, at, until }));
  }

  /**
   * Replaces or removes whole tables, and keeps them, both or neither. Returns undefined, without a change, if the snapshot is missing.
   */
  async exchange(removal: ExchangeRemoval): Promise<(Exchanged & { readonly undo?: string }) | undefined> {
    const { store, keeps, report } = this.#options;
    if (!removal.accounts.every(keeps)) return store.snapshots.exchange(removal);
    const id = await this.#records.newId();
    const exchanged = await store.snapshots.exchange(removal, {
      ...keptOf(id),
      note: this.#records.noteOf(id, removal),
    });
    await this.#records.dropOld().catch(report);
    return exchanged && { ...exchanged, undo: id };
  }

  /**
   * Takes a snapshot and makes a call. `remove` must begin in the turn in which it is called: on LevelDB nothing comes between. If
   * the snapshot fails, that is reported, and the answer has no id.
   */
  async keep<T extends object>(
    removal: LongRemoval,
    remove: () => Promise<T>,
  ): Promise<T & { readonly undo?: string }> {
    const { what, accounts, touched, joined } = removal;
    const { store, keeps, report } = this.#options;
    if (!accounts.every(keeps)) return remove();
    if (joined !== undefined) return this.#join(joined, removal, remove);
    const id = await this.#records.newId();
    this.#records.underWay.add(id);
    const noteOf = (done: string) => this.#records.noteOf(id, { ...removal, what: done });
    // If the server is killed, what was removed so far can be restored.
    const cut = noteOf(`${what}, which was cut off`);
    const begun = store.snapshots.kept.begin(keptOf(id), accounts, concernsOf(removal, store), cut);
    const [made, kept] = await Promise.allSettled([remove(), begun]);
    const isMade = made.status === 'fulfilled';
    try {
      if (kept.status === 'rejected') throw kept.reason;
      const hasChanged = isMade || (touched ? touched.size > 0 : !(made.reason instanceof StateFault));
      if (!hasChanged) await this.#records.forget(id);
      else {
        await this.#records.add(id, noteOf(isMade ? what : `${what}, which failed`));
        if (isMade) return { ...made.value, undo: id };
      }
    } catch (error) {
      report(error);
      await this.#records.forget(id);
    } finally {
      this.#records.underWay.delete(id);
    }
    if (!isMade) throw made.reason;
    return made.value;
  }

  /**
   * Makes a call that the snapshot of an earlier one covers, and keeps both for as long as a new one. The result has no id if the
   * earlier one was undone or dropped meanwhile. Errors: StateFault if the snapshot does not cover the call.
   */
  async #join<T extends object>(
    id: string,
    { accounts, table }: Removal,
    remove: () => Promise<T>,
  ): Promise<T & { readonly undo?: string }> {
    const earlier = await this.#find(id);
    const isCovered = accounts.every((one) => earlier.accounts.includes(one)) && (earlier.table ?? table) === table;
    if (!isCovered) throw new StateFault('invalid', `${id} is of other tables, and cannot undo this call, too.`);
    await this.#records.add(id, this.#records.noteOf(id, earlier));
    const made = await remove();
    return (await this.#records.list()).some((one) => one.id === id) ? { ...made, undo: id } : made;
  }

  /** Drops what is kept of a call that has changed nothing. */
  forget(id: string): Promise<void> {
    return this.#records.forget(id);
  }

  /**
   * Undoes a call; without an id, the newest that is not an undo. Keeps what that removes. Errors: StateFault if nothing is kept of
   * the call, or if this server does not have its accounts.
   */
  undo(id: string | undefined): Promise<Omit<UndoReport, 'ms'>> {
    const undone = this.#last.then(() => this.#undo(id));
    this.#last = undone.catch(() => {});
    return undone;
  }

  async #undo(id: string | undefined): Promise<Omit<UndoReport, 'ms'>> {
    const { id: of, what, at: _, until: __, ...tables } = await this.#find(id);
    const concerns = concernsOf(tables, this.#options.store);
    const accounts = tables.accounts.map((name) => ({ from: name, to: name, ...(concerns && { concerns }) }));
    const removal = { ...tables, what: `undo ${what}`, isUndo: true, restored: { snapshot: keptOf(of), accounts } };
    const made = await this.exchange(removal);
    if (!made) throw new StateFault('missing', `${of} was undone or removed just now.`);
    return { id: of, what, tables: made.given, ...(made.undo !== undefined && { undo: made.undo }) };
  }

  async #find(id: string | undefined): Promise<UndoRecord> {
    const all = await this.#records.list();
    const kept = all.findLast((one) => (id === undefined ? !one.isUndo : one.id === id));
    const foreign = kept?.accounts.find((account) => !this.#options.serves(account));
    if (foreign !== undefined) {
      const fault = `${kept?.id} concerns the account ${foreign}, which is not one of this server.`;
      throw new StateFault('missing', `${fault} Ask a server that has it.`);
    }
    if (kept) return kept;
    const listed = all.map((one) => one.id).join(', ');
    if (id === undefined || listed === '') throw new StateFault('missing', 'Nothing can be undone now.');
    throw new StateFault('missing', `${id} is unknown or has expired. These can be undone: ${listed}.`);
  }
}
