import type { KeptId, SnapshotStore } from '../store/snapshots.js';
import type { UndoSummary } from './contract.js';

/** How long something can be undone. Unit: milliseconds. Ours. */
const keptMs = 10 * 60_000;

/** How many calls can be undone. Ours: they keep what was removed. */
const keptMax = 5;

/** How often a server looks for what another one has kept and cannot remove. Unit: milliseconds. Ours. */
const lookMs = 60_000;

/**
 * How long what a call of another server keeps can be without a record. Unit: milliseconds. Ours: longer than any call. After
 * that, its server has died.
 */
const unfinishedMs = 24 * 60 * 60_000;

/** Returns what keeps the states of a call. */
export function keptOf(id: string): KeptId {
  return { kind: 'undo', id: idPartOf(id) };
}

/** The tables that a call has changed, by account and the form in which names are compared. */
export type TouchedTables = ReadonlyMap<string, ReadonlySet<string>>;

/** The tables that an undo restores: all of the accounts, or those that one of the others names. */
export interface UndoneTables {
  readonly accounts: readonly string[];
  readonly table?: string | undefined;
  readonly tablePrefix?: string | undefined;
  /** Whether the call is itself an undo, which another undo passes over unless it is named. */
  readonly isUndo?: boolean;
}

/** A call that can be undone. It is kept as JSON with the snapshot of its tables. */
export interface UndoRecord extends UndoSummary, UndoneTables {
  /** Of an import, the tables that it has changed. */
  readonly names?: readonly (readonly [account: string, tables: readonly string[]])[];
}

/** What records of undo need. */
export interface UndoRecordsOptions {
  readonly snapshots: SnapshotStore;
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

  /** Removes what an earlier run of the server has kept too long, and what its calls have left that it could not finish. */
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

  /** Stops to wait for the end of what is kept. */
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
    {
      what,
      accounts,
      table,
      tablePrefix,
      isUndo,
      touched,
      names,
    }: UndoneTables & { what: string; touched?: TouchedTables; names?: UndoRecord['names'] },
  ): string {
    const now = Date.now();
    const [at, until] = [new Date(now).toISOString(), new Date(now + keptMs).toISOString()];
    const listed = touched?.size ? [...touched].map(([account, keys]) => [account, [...keys]]) : names;
    // JSON leaves out what is undefined.
    return JSON.stringify({ id, what, at, until, accounts, table, tablePrefix, isUndo, names: listed });
  }

  /** Keeps the record of a call that was made just now, with its states. */
  async add(id: string, note: string): Promise<void> {
    await this.#options.snapshots.kept.note(keptOf(id), note);
    // The call is kept, also if others cannot be forgotten now.
    await this.dropOld().catch(this.#options.report);
  }

  /** Deletes what is kept of a call. What cannot be deleted now is deleted later. */
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
      const old = all.filter((one, at) => expiresAt(one) <= now || at < all.length - keptMax);
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
