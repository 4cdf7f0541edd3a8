import type { Exchange, Exchanged, KeptId, SnapshotStore } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import type { UndoReport, UndoSummary } from './contract.js';
import { concernsOf } from './named-states.js';
import { StateFault } from './state-fault.js';

/** A call that removes something. */
export interface Removal extends UndoneTables {
  /** What it does, in words. */
  readonly what: string;
}

/** A call that takes a while, and is in part made if it fails. */
export interface LongRemoval extends Removal {
  /** The tables that it has changed, by account and the form in which names are compared: complete when it is over. Absent: all that it names. */
  readonly touched?: ReadonlyMap<string, ReadonlySet<string>>;
  /** The undo of an earlier call of the same work, which covers this one, too. */
  readonly joined?: string | undefined;
}

/** What undo needs. */
export interface UndosOptions {
  readonly store: Store;
  /** Whether what is removed from an account is kept. */
  readonly keeps: (account: string) => boolean;
  /** Whether there is no memory for what is removed. */
  readonly isFull: () => boolean;
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
  /** What is kept of the calls. */
  readonly records: UndoRecords;
  /** Undos of this server run one at a time, also so that two calls without an id undo two calls. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: UndosOptions) {
    this.#options = options;
    this.records = new UndoRecords({
      snapshots: options.store.snapshots,
      isFull: options.isFull,
      report: options.report,
    });
  }

  /** Returns what can be undone, the newest call last. */
  async list(): Promise<readonly UndoSummary[]> {
    return (await this.records.list()).map(({ id, what, at, until }) => ({ id, what, at, until }));
  }

  /**
   * Replaces or removes whole tables, and keeps them, both or neither. Returns undefined, without a change, if the snapshot is missing.
   */
  async exchange(removal: Removal & Exchange): Promise<(Exchanged & { readonly undo?: string }) | undefined> {
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
   * Takes a snapshot and makes a call. `remove` must begin in the turn in which it is called: on LevelDB nothing comes between. If
   * the snapshot fails, that is reported, and the answer has no id.
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
    this.records.underWay.add(id);
    const noteOf = (done: string) => {
      const names = touched?.size ? [...touched].map(([account, keys]) => [account, [...keys]] as const) : undefined;
      return this.records.noteOf(id, { accounts, table, tablePrefix, isUndo, what: done, names });
    };
    // If the server is killed, what was removed so far can be restored.
    const cut = noteOf(`${what}, which was cut off`);
    const begun = store.snapshots.kept.begin(keptOf(id), accounts, concernsOf(removal, store), cut);
    const [made, kept] = await Promise.allSettled([remove(), begun]);
    const isMade = made.status === 'fulfilled';
    try {
      if (kept.status === 'rejected') throw kept.reason;
      const hasChanged = isMade || (touched ? touched.size > 0 : !(made.reason instanceof StateFault));
      if (!hasChanged) await this.records.forget(id);
      else {
        await this.records.add(id, noteOf(isMade ? what : `${what}, which failed`));
        if (isMade) return { ...made.value, undo: id };
      }
    } catch (error) {
      report(error);
      await this.records.forget(id);
    } finally {
      this.records.underWay.delete(id);
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
    await this.records.add(id, this.records.noteOf(id, earlier));
    const made = await remove();
    return (await this.records.list()).some((one) => one.id === id) ? { ...made, undo: id } : made;
  }

  /**
   * Undoes a call; without an id, the newest that is not an undo. Keeps what that removes. Errors: StateFault if nothing is kept of
   * the call, or if this server does not have its accounts.
   */
  undo(id: string | undefined): Promise<Omit<UndoReport, 'ms'>> {
    return this.#inTurn(() => this.#undo(id));
  }

  /** Runs undos, and calls that an earlier record covers, one at a time: what a call removes after the undo of its record would be lost. */
  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const made = this.#last.then(call);
    this.#last = made.catch(() => {});
    return made;
  }

  /** Returns whether a call can be undone. While the memory is full, none can, and what was kept is dropped to make room. */
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
    const made = await this.exchange(removal);
    if (!made) throw new StateFault('missing', `${of} was undone or removed just now.`);
    return { id: of, what, tables: made.given, ...(made.undo !== undefined && { undo: made.undo }) };
  }

  async #find(id: string | undefined): Promise<UndoRecord> {
    const all = await this.records.list();
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

/** How long something can be undone. Unit: milliseconds. (Our choice.) */
const keptMs = 10 * 60_000;

/** How many calls can be undone. (Our choice: they keep what was removed.) */
const keptMax = 5;

/** How often a server looks for what another one has kept and cannot remove. Unit: milliseconds. (Our choice.) */
const lookMs = 60_000;

/** After which time the server of an unfinished call has died. Unit: milliseconds. (Our choice: longer than any call.) */
const unfinishedMs = 24 * 60 * 60_000;

/** Returns what keeps the states of a call. */
function keptOf(id: string): KeptId {
  return { kind: 'undo', id: idPartOf(id) };
}

/** The tables that an undo restores: all of the accounts, or those that one of the others names. */
interface UndoneTables {
  readonly accounts: readonly string[];
  readonly table?: string | undefined;
  readonly tablePrefix?: string | undefined;
  /** Whether the call is itself an undo, which another undo passes over unless it is named. */
  readonly isUndo?: boolean | undefined;
}

/** A call that can be undone. It is kept as JSON with the snapshot of its tables. */
interface UndoRecord extends UndoSummary, UndoneTables {
  /** Of an import, the tables that it has changed. */
  readonly names?: readonly (readonly [account: string, tables: readonly string[]])[] | undefined;
}

/** What records of undo need. */
interface UndoRecordsOptions {
  readonly snapshots: SnapshotStore;
  readonly isFull?: () => boolean;
  /** Gets the errors of background work. */
  readonly report: (error: unknown) => void;
}

/**
 * Keeps records of the calls that can be undone, for ten minutes and for the last five, in the store: another server on the
 * same database finds them, and so does the next run of this one.
 */
export class UndoRecords {
  readonly #options: UndoRecordsOptions;
  readonly #isShared: boolean;
  /** The ids of the calls that this server makes or undoes now. They are not in the list, and are not deleted as too old. */
  readonly underWay = new Set<string>();
  #number = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: UndoRecordsOptions) {
    this.#options = options;
    this.#isShared = options.snapshots.onEndedElsewhere !== undefined;
  }

  /** Deletes the records of an earlier run that have expired, and the states of its calls that were not finished. */
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

  /** Stops waiting for records to expire. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Returns what can be undone, the newest call last. */
  async list(): Promise<readonly UndoRecord[]> {
    const now = Date.now();
    return (await this.#readAll()).filter((one) => expiresAt(one) > now && !this.underWay.has(one.id));
  }

  /** Returns an id that no other call has. */
  async newId(): Promise<string> {
    const number = (await this.#options.snapshots.kept.nextNumber?.()) ?? ++this.#number;
    return `undo-${number}`;
  }

  /** Returns the record of a call that is made now, as it is kept with its states. */
  noteOf(
    id: string,
    { what, accounts, table, tablePrefix, isUndo, names }: Omit<UndoRecord, 'id' | 'at' | 'until'>,
  ): string {
    const now = Date.now();
    const [at, until] = [new Date(now).toISOString(), new Date(now + keptMs).toISOString()];
    // JSON leaves out what is undefined.
    return JSON.stringify({ id, what, at, until, accounts, table, tablePrefix, isUndo, names });
  }

  /** Keeps the record of a call that was made just now, with its states. */
  async add(id: string, note: string): Promise<void> {
    await this.#options.snapshots.kept.note(keptOf(id), note);
    // The call is kept, also if others cannot be forgotten now.
    await this.dropOld().catch(this.#options.report);
  }

  /** Deletes the record of a call, with its states. What cannot be deleted now is deleted later. */
  async forget(id: string): Promise<void> {
    const { snapshots, report } = this.#options;
    await snapshots.kept.drop(keptOf(id)).catch(report);
  }

  /** Deletes what is kept of calls that are too old, or too many. */
  async dropOld(): Promise<void> {
    // After an error, too.
    let wait: number | undefined = lookMs;
    try {
      const now = Date.now();
      const all = await this.#readAll();
      const max = this.#options.isFull?.() ? 0 : keptMax;
      const old = all.filter((one, at) => expiresAt(one) <= now || at < all.length - max);
      for (const { id } of old) if (!this.underWay.has(id)) await this.forget(id);
      const next = all.find((one) => !old.includes(one));
      // A clock that was set back makes it longer than a timer can wait.
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

/** Returns the part of `undo-N` after the dash. */
function idPartOf(id: string): string {
  return id.slice(id.indexOf('-') + 1);
}
