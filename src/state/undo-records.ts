import type { ServiceProperties } from '../protocol/service-properties.js';
import type { SnapshotStore } from '../store/snapshots.js';
import type { UndoSummary } from './contract.js';
import { hiddenName, isHidden } from './hidden-snapshots.js';
import type { RevertedTable } from './revert-rows.js';

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

/** What the names of the snapshots end with that hold what a call has left. */
const afterwards = '-after';

/** The names of the snapshots of a call: what there was before it, and what it has left. */
export function snapshotsOf(id: string): { readonly before: string; readonly after: string } {
  return { before: hiddenName('undo', idPartOf(id)), after: hiddenName('undo', `${idPartOf(id)}${afterwards}`) };
}

/** What a call has removed. It is kept as JSON with the snapshot of what there was before. */
export interface UndoRecord extends UndoSummary {
  readonly accounts: readonly string[];
  /** Those of the accounts that were emptied. */
  readonly emptied: readonly string[];
  /** By account, the tables that a call has changed that went on for a while, in the form in which names are compared. */
  readonly touched?: readonly (readonly [account: string, tables: readonly string[]])[];
  /** What was removed from tables that stayed. */
  readonly plan?: RevertedTable['plan'];
  /** The settings of the accounts before and after the call; empty if it does not concern them. */
  readonly settings: readonly {
    readonly account: string;
    readonly before: ServiceProperties;
    readonly after: ServiceProperties;
  }[];
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
    const known = new Set(all.map(({ id }) => id));
    const now = Date.now();
    for (const { name, at } of await this.#options.snapshots.list()) {
      if (!isHidden(name, ['undo', 'import'])) continue;
      const id = name.slice(1).replace(afterwards, '');
      const isOver = !this.#isShared || Date.parse(at) + unfinishedMs < now;
      if (!known.has(id) && isOver) await this.#options.snapshots.delete(name);
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
    const number = (await this.#options.snapshots.reversing.nextNumber?.()) ?? ++this.#number;
    return `undo-${number}`;
  }

  /** Keeps the record of a call that was made just now. Its snapshots are taken. */
  async add(record: Omit<UndoRecord, 'at' | 'until'>): Promise<void> {
    const now = Date.now();
    const [at, until] = [new Date(now).toISOString(), new Date(now + keptMs).toISOString()];
    const kept: UndoRecord = { ...record, at, until };
    await this.#options.snapshots.reversing.note(snapshotsOf(record.id).before, JSON.stringify(kept));
    // The call is kept, also if others cannot be forgotten now.
    await this.dropOld().catch(this.#options.report);
  }

  /** Deletes what is kept of a call. What cannot be deleted now is deleted later. */
  async forget(id: string): Promise<void> {
    const { snapshots, report } = this.#options;
    // The record goes first, with its snapshot: while it is there, both snapshots are.
    const { before, after } = snapshotsOf(id);
    for (const name of [before, after]) await snapshots.delete(name).catch(report);
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
    const notes = await this.#options.snapshots.reversing.notes();
    const all = notes.map(({ note }) => JSON.parse(note) as UndoRecord);
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
