import type { KeptId, SnapshotStore } from '../store/snapshots.js';
import type { UndoSummary } from './contract.js';

/** Lifetime of a record. Unit: milliseconds. (Our choice.) */
const keptMs = 10 * 60_000;

/** Most records. (Our choice: each retains removed data.) */
const keptMax = 5;

/** Interval between cleanups after other servers, which may have died. Unit: milliseconds. (Our choice.) */
const lookMs = 60_000;

/** Age at which an unfinished call counts as abandoned. Unit: milliseconds. (Our choice: longer than any call.) */
const unfinishedMs = 24 * 60 * 60_000;

/** Returns the store's id for the kept state of a call. */
export function keptOf(id: string): KeptId {
  return { kind: 'undo', id: idPartOf(id) };
}

/** The tables that an undo restores: all of the accounts, or the named ones. */
export interface UndoneTables {
  readonly accounts: readonly string[];
  readonly table?: string | undefined;
  readonly tablePrefix?: string | undefined;
  /** Whether the call is itself an undo, which an undo without an id skips. */
  readonly isUndo?: boolean | undefined;
}

/** A call that can be undone, stored as JSON with the snapshot of its tables. */
export interface UndoRecord extends UndoSummary, UndoneTables {
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
