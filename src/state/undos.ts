import { defaultServiceProperties, type ServiceProperties } from '../protocol/service-properties.js';
import type { ReversingStore, SnapshotStore } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import type { TableSelection } from '../store/stored-parts.js';
import type { UndoReport, UndoSummary } from './contract.js';
import { HiddenCopies } from './hidden-copies.js';
import { tablesOf } from './pair-rows.js';
import { type RevertedTable, revertPolicies, revertRows, UndoTally } from './revert-rows.js';
import { StateFault } from './state-fault.js';

/** How long something can be undone. Unit: milliseconds. Ours. */
const keptMs = 10 * 60_000;

/** How many calls can be undone. Ours: they keep what was removed. */
const keptMax = 5;

/** What the names of the snapshots begin with that hold what was removed. No other snapshot can have such a name. */
const prefix = '~undo-';

/** Returns whether a snapshot is one that users see. No snapshot of theirs begins so. */
export function isShown({ name }: { readonly name: string }): boolean {
  return !name.startsWith('~');
}

/** A call that removes something. */
export interface Removal {
  /** What it does, in words. */
  readonly what: string;
  readonly accounts: readonly string[];
  /** Those of the accounts that it empties after everything else. */
  readonly emptied?: readonly string[];
  /** Decides by account and name whether it concerns a table. Absent: all tables, and the settings. */
  readonly concerns?: TableSelection | undefined;
  /**
   * The tables that it has changed, by account and the form in which names are compared, if it goes on for a while: complete
   * when it is over. What others write into these tables meanwhile counts as its own, and what it did stays if it fails.
   * Absent: it is done at once.
   */
  readonly touched?: ReadonlyMap<string, ReadonlySet<string>>;
  /** What it removes from tables that stay. Absent: it replaces or removes whole tables. */
  readonly plan?: RevertedTable['plan'];
}

interface Kept extends Removal, UndoSummary {
  readonly expires: number;
  /** The settings of the accounts before and after the call; empty if it does not concern them. */
  readonly settings: readonly { readonly account: string; before: ServiceProperties; after: ServiceProperties }[];
}

/** What undo needs. */
export interface UndosOptions {
  readonly store: Store;
  /** Whether what is removed from an account is kept. */
  readonly keeps: (account: string) => boolean;
  /** Gets the errors of background work. */
  readonly report: (error: unknown) => void;
}

/**
 * Keeps what calls of this server have removed, for ten minutes and for the last five, and gives it back. It is kept in
 * snapshots, so keeping costs a few milliseconds. A restart forgets it.
 */
export class Undos {
  readonly #options: UndosOptions;
  readonly #kept = new Map<string, Kept>();
  #number = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: UndosOptions) {
    this.#options = options;
  }

  /** Removes what an earlier run of the server has kept. */
  async resume(): Promise<void> {
    const { snapshots } = this.#options.store;
    if (!snapshots.reversing) return;
    for (const { name } of await snapshots.list()) if (name.startsWith(prefix)) await snapshots.delete(name);
  }

  /** Stops to wait for the end of what is kept. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Returns what can be undone, the newest call last. */
  list(): readonly UndoSummary[] {
    return [...this.#kept.values()].map(({ id, what, at, until }) => ({ id, what, at, until }));
  }

  /**
   * Makes a call and keeps what it removes. `remove` must ask the store for everything in the turn in which it is called: an
   * engine in this process then lets nothing come between. What others write between the snapshots of another engine and the
   * call cannot be given back.
   */
  async keep<T extends object>(removal: Removal, remove: () => Promise<T>): Promise<T & { readonly undo?: string }> {
    const { accounts, concerns, plan, emptied = [], touched } = removal;
    const { snapshots } = this.#options.store;
    if (!snapshots.reversing || !accounts.every(this.#options.keeps)) return remove();
    const settings = concerns || plan || touched ? [] : await this.#readSettings(accounts);
    const id = `undo-${++this.#number}`;
    // The tables of a call with a plan stay, and would get a layer without rows.
    const left = plan ? [] : accounts.filter((account) => !emptied.includes(account));
    const takeAfter = () => snapshots.take(`~${id}-after`, left, concerns);
    const before = snapshots.take(`~${id}`, accounts, concerns);
    const removed = remove();
    const after = touched ? removed.then(takeAfter) : takeAfter();
    try {
      const [result] = await Promise.all([removed, before, after]);
      for (const one of settings) one.after = await this.#options.store.readServiceProperties(one.account);
      await this.#note({ ...removal, id, settings });
      return { ...result, undo: id };
    } catch (error) {
      await Promise.allSettled([removed, before, after]);
      const isPartial = touched !== undefined && touched.size > 0;
      const isKept = isPartial && (await Promise.all([before, takeAfter()]).catch(() => undefined)) !== undefined;
      if (isKept) await this.#note({ ...removal, what: `${removal.what}, which failed`, id, settings });
      else await this.#forget(id);
      throw error;
    }
  }

  async #note(kept: Omit<Kept, 'at' | 'until' | 'expires'>): Promise<void> {
    const now = Date.now();
    const [at, until] = [new Date(now).toISOString(), new Date(now + keptMs).toISOString()];
    this.#kept.set(kept.id, { ...kept, at, until, expires: now + keptMs });
    await this.#dropOld();
  }

  /** Undoes a call; without an id, the newest. It cannot be undone again. Errors: StateFault if nothing is kept of it. */
  async undo(id: string | undefined): Promise<Omit<UndoReport, 'ms'>> {
    const { snapshots } = this.#options.store;
    if (!snapshots.reversing) throw new StateFault('not-supported', 'Data in PostgreSQL cannot be undone yet.');
    const kept = this.#find(id);
    this.#kept.delete(kept.id);
    try {
      const tally = await this.#revert(snapshots, snapshots.reversing, kept);
      await this.#forget(kept.id);
      const { tables, entities, named, leftOut } = tally;
      return { id: kept.id, what: kept.what, tables, entities, leftOut: named, leftOutCount: leftOut };
    } catch (error) {
      this.#kept.set(kept.id, kept);
      throw error;
    }
  }

  #find(id: string | undefined): Kept {
    const kept = id === undefined ? [...this.#kept.values()].at(-1) : this.#kept.get(id);
    if (kept) return kept;
    const listed = [...this.#kept.keys()].join(', ');
    if (listed === '') throw new StateFault('missing', 'Nothing can be undone now.');
    throw new StateFault('missing', `${id} is not kept, or not any more. These can be undone: ${listed}.`);
  }

  async #revert(snapshots: SnapshotStore, reversing: ReversingStore, kept: Kept): Promise<UndoTally> {
    const { store, report } = this.#options;
    const tally = new UndoTally();
    const copies = new HiddenCopies(snapshots);
    const snapshot = `~${kept.id}`;
    let changed: readonly { readonly account: string; readonly name?: string }[] = kept.accounts.map((account) => ({
      account,
    }));
    if (!kept.plan) {
      const { touched } = kept;
      const concerns: TableSelection | undefined =
        touched && ((account, name) => touched.get(account)?.has(store.nameKey(account, name)) === true);
      const whole = await reversing.revertTables(snapshot, `${snapshot}-after`, concerns);
      tally.tables = whole?.tables ?? 0;
      changed = whole?.changed ?? [];
    }
    try {
      for (const account of new Set(changed.map((one) => one.account))) {
        const before = await copies.make({ account, snapshot });
        const isEmptied = kept.plan !== undefined || kept.emptied?.includes(account);
        const after = isEmptied ? undefined : await copies.make({ account, snapshot: `${snapshot}-after` });
        const named = changed.flatMap((one) => (one.account === account && one.name !== undefined ? [one.name] : []));
        const tables = kept.plan ? [...(await tablesOf(store, before)).values()] : named;
        for (const table of tables) {
          const reverted = { account, table, before, after, plan: kept.plan };
          await revertRows(store, reversing, reverted, tally);
          await revertPolicies(store, reverted);
        }
      }
    } finally {
      await copies.end(report);
    }
    for (const { account, before, after } of kept.settings) {
      const present = await store.readServiceProperties(account);
      if (JSON.stringify(present) === JSON.stringify(after)) await store.writeServiceProperties(account, before);
    }
    return tally;
  }

  async #readSettings(accounts: readonly string[]) {
    const { store } = this.#options;
    return Promise.all(
      accounts.map(async (account) => ({
        account,
        before: await store.readServiceProperties(account),
        after: defaultServiceProperties,
      })),
    );
  }

  async #dropOld(): Promise<void> {
    const now = Date.now();
    const all = [...this.#kept.values()];
    const old = all.filter(({ expires }, at) => expires <= now || at < all.length - keptMax);
    for (const { id } of old) {
      this.#kept.delete(id);
      await this.#forget(id);
    }
    clearTimeout(this.#timer);
    const [next] = this.#kept.values();
    if (!next || this.#isStopped) return;
    const wait = Math.max(0, next.expires - now);
    this.#timer = setTimeout(() => void this.#dropOld().catch(this.#options.report), wait).unref();
  }

  /** Deletes the snapshots of a call. What cannot be deleted is deleted at the next start. */
  async #forget(id: string): Promise<void> {
    const { store, report } = this.#options;
    for (const name of [`~${id}`, `~${id}-after`]) await store.snapshots.delete(name).catch(report);
  }
}
