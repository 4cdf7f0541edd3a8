import type { Exchange, ExchangeResult, KeptId, SnapshotStore } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import type { UndoReport, UndoSummary } from './contract.js';
import { concernsOf } from './named-states.js';
import { StateFault } from './state-fault.js';

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

/** Lifetime of a record. Unit: milliseconds. (Our choice.) */
const keptMs = 10 * 60_000;

/** Most records. (Our choice: each retains removed data.) */
const keptMax = 5;

/** Interval between cleanups after other servers, which may have died. Unit: milliseconds. (Our choice.) */
const lookMs = 60_000;

/** Age at which an unfinished call counts as abandoned. Unit: milliseconds. (Our choice: longer than any call.) */
const unfinishedMs = 24 * 60 * 60_000;

/** Returns the store's id for the kept state of a call. */
function keptOf(id: string): KeptId {
  return { kind: 'undo', id: idPartOf(id) };
}

/** The tables that an undo restores: all of the accounts, or the named ones. */
interface UndoneTables {
  readonly accounts: readonly string[];
  readonly table?: string | undefined;
  readonly tablePrefix?: string | undefined;
  /** Whether the call is itself an undo, which an undo without an id skips. */
  readonly isUndo?: boolean | undefined;
}

/** A call that can be undone, stored as JSON with the snapshot of its tables. */
interface UndoRecord extends UndoSummary, UndoneTables {
  /** The tables changed by an import. */
  readonly names?: readonly (readonly [account: string, tables: readonly string[]])[] | undefined;
}

/** The dependencies of `UndoRecords`. */
interface UndoRecordsOptions {
  readonly snapshots: SnapshotStore;
  readonly isFull?: () => boolean;
  /** Receives the errors of background work. */
  readonly report: (error: unknown) => void;
}

/**
 * Records the last five calls of the last ten minutes in the store, where the next run and other servers on the same database
 * find them.
 */
export class UndoRecords {
  readonly #options: UndoRecordsOptions;
  readonly #isShared: boolean;
  /** The ids of running calls of this server, which are neither listed nor deleted as too old. */
  readonly inFlight = new Set<string>();
  #number = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: UndoRecordsOptions) {
    this.#options = options;
    this.#isShared = options.snapshots.onEndedElsewhere !== undefined;
  }

  /** Deletes expired records of an earlier run, and the states of its unfinished calls. */
  async resume(): Promise<void> {
    const all = await this.#readAll();
    this.#number = Math.max(0, ...all.map(numberOf));
    const now = Date.now();
    const { kept } = this.#options.snapshots;
    for (const one of [...(await kept.list('undo')), ...(await kept.list('import'))]) {
      const isOver = !this.#isShared || Date.parse(one.at) + unfinishedMs < now;
      if (one.note === undefined && isOver) await kept.drop(one);
    }
    await this.dropOld();
  }

  /** Stops the timer. The records stay in the store. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Returns the calls that can be undone, the newest last. */
  async list(): Promise<readonly UndoRecord[]> {
    const now = Date.now();
    return (await this.#readAll()).filter((one) => expiresAt(one) > now && !this.inFlight.has(one.id));
  }

  /** Returns a unique id. */
  async newId(): Promise<string> {
    const number = (await this.#options.snapshots.kept.nextNumber?.()) ?? ++this.#number;
    return `undo-${number}`;
  }

  /** Returns the record of a call made now, as JSON. */
  noteOf(
    id: string,
    { what, accounts, table, tablePrefix, isUndo, names }: Omit<UndoRecord, 'id' | 'at' | 'until'>,
  ): string {
    const now = Date.now();
    const [at, until] = [new Date(now).toISOString(), new Date(now + keptMs).toISOString()];
    return JSON.stringify({ id, what, at, until, accounts, table, tablePrefix, isUndo, names });
  }

  /** Stores the record of a finished call with its state, and deletes old records. */
  async add(id: string, note: string): Promise<void> {
    await this.#options.snapshots.kept.note(keptOf(id), note);
    // The new record is valid even if old ones cannot be deleted now.
    await this.dropOld().catch(this.#options.report);
  }

  /** Deletes the record of a call with its state. On an error, a later cleanup deletes it. */
  async forget(id: string): Promise<void> {
    const { snapshots, report } = this.#options;
    await snapshots.kept.drop(keptOf(id)).catch(report);
  }

  /** Deletes expired and surplus records. */
  async dropOld(): Promise<void> {
    // Applies after an error.
    let wait: number | undefined = lookMs;
    try {
      const now = Date.now();
      const all = await this.#readAll();
      const max = this.#options.isFull?.() ? 0 : keptMax;
      const old = all.filter((one, at) => expiresAt(one) <= now || at < all.length - max);
      for (const { id } of old) if (!this.inFlight.has(id)) await this.forget(id);
      const next = all.find((one) => !old.includes(one));
      // After the system clock was set back, the wait could exceed the range of a timer.
      wait = next && Math.min(keptMs, Math.max(0, expiresAt(next) - now));
    } finally {
      this.#lookAfter(this.#isShared ? Math.min(wait ?? lookMs, lookMs) : wait);
    }
  }

  #lookAfter(ms: number | undefined): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || ms === undefined) return;
    this.#timer = setTimeout(() => void this.#wake(), ms).unref();
  }

  async #wake(): Promise<void> {
    await this.dropOld().catch(this.#options.report);
  }

  async #readAll(): Promise<readonly UndoRecord[]> {
    const kept = await this.#options.snapshots.kept.list('undo');
    const all = kept.flatMap(({ note }) => (note === undefined ? [] : [JSON.parse(note) as UndoRecord]));
    return all.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || numberOf(a) - numberOf(b));
  }
}

function expiresAt({ until }: UndoSummary): number {
  return Date.parse(until);
}

function numberOf({ id }: UndoSummary): number {
  return Number(idPartOf(id));
}

/** Returns the `N` of `undo-N`. */
function idPartOf(id: string): string {
  return id.slice(id.indexOf('-') + 1);
}
