import { defaultServiceProperties } from '../protocol/service-properties.js';
import type { TableSelection } from '../store/copy/stored-parts.js';
import type { Store } from '../store/store.js';
import type { UndoReport, UndoSummary } from './contract.js';
import { FrozenStates } from './frozen-states.js';
import { type RevertedTable, revertPolicies, revertRows, UndoTally } from './revert-rows.js';
import { StateFault } from './state-fault.js';
import { keptOf, type UndoRecord, UndoRecords } from './undo-records.js';

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
  /** Whether all rows of all these tables go at once, though the tables stay. */
  readonly isEmptying?: boolean;
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
 * Keeps what calls have removed, and gives it back. It is kept in snapshots, so keeping costs a few milliseconds, or a copy
 * inside the database.
 */
export class Undos {
  readonly #options: UndosOptions;
  readonly #records: UndoRecords;

  constructor(options: UndosOptions) {
    this.#options = options;
    this.#records = new UndoRecords({ snapshots: options.store.snapshots, report: options.report });
  }

  /** Removes what an earlier run of the server has kept too long, or could not finish. */
  resume(): Promise<void> {
    return this.#records.resume();
  }

  /** Stops to wait for the end of what is kept. */
  stop(): void {
    this.#records.stop();
  }

  /** Returns what can be undone, the newest call last. */
  async list(): Promise<readonly UndoSummary[]> {
    return (await this.#records.list()).map(({ id, what, at, until }) => ({ id, what, at, until }));
  }

  /**
   * Makes a call and keeps what it removes. `remove` must ask the store for everything in the turn in which it is called: an
   * engine in this process then lets nothing come between. What others write between the snapshots of another engine and the
   * call cannot be given back. If something cannot be kept, that is reported, and the answer has no id.
   */
  async keep<T extends object>(removal: Removal, remove: () => Promise<T>): Promise<T & { readonly undo?: string }> {
    const { what, accounts, concerns, plan, isEmptying, emptied = [], touched } = removal;
    const { store, keeps, report } = this.#options;
    const { snapshots } = store;
    if (!accounts.every(keeps)) return remove();
    const settings = concerns || plan || touched ? [] : await this.#readSettings(accounts);
    const id = await this.#records.newId();
    this.#records.underWay.add(id);
    const kept = keptOf(id);
    const record = (done: string) => ({ ...recordOf(removal), id, settings, what: done });
    const note = (done: string) => this.#records.add(record(done));
    const deletesRows = plan !== undefined && !isEmptying;
    const isPartial = (error: unknown) => (touched ? touched.size > 0 : deletesRows && !(error instanceof StateFault));
    const left = accounts.filter((account) => !emptied.includes(account));
    // A plan finds again what was removed.
    const takeAfter = async () => plan ?? snapshots.kept.end(kept, left, concerns);

    const tables = touched || deletesRows ? 'changed' : 'dropped';
    // If the server is killed, what was removed so far can be given back.
    const cut = touched ? undefined : this.#records.noteOf(record(`${what}, which was cut off`));
    const before = snapshots.kept.begin(kept, accounts, concerns, tables, cut);
    const removed = remove();
    const after = touched ? removed.catch(() => {}).then(takeAfter) : takeAfter();
    const [made, ...states] = await Promise.allSettled([removed, before, after]);
    const isMade = made.status === 'fulfilled';
    try {
      for (const one of states) if (one.status === 'rejected') throw one.reason;
      if (!isMade && !isPartial(made.reason)) await this.#records.forget(id);
      else {
        for (const one of settings) one.after = await store.readServiceProperties(one.account);
        await note(isMade ? what : `${what}, which failed`);
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
   * Undoes a call; without an id, the newest. It cannot be undone again. Errors: StateFault if nothing is kept of it, or if
   * this server does not have its accounts.
   */
  async undo(id: string | undefined): Promise<Omit<UndoReport, 'ms'>> {
    const kept = await this.#find(id);
    this.#records.underWay.add(kept.id);
    try {
      const tally = await this.#revert(kept);
      await this.#records.forget(kept.id);
      const { tables, entities, named, leftOut } = tally;
      return { id: kept.id, what: kept.what, tables, entities, leftOut: named, leftOutCount: leftOut };
    } finally {
      this.#records.underWay.delete(kept.id);
    }
  }

  async #find(id: string | undefined): Promise<UndoRecord> {
    const all = await this.#records.list();
    const kept = id === undefined ? all.at(-1) : all.find((one) => one.id === id);
    const foreign = kept?.accounts.find((account) => !this.#options.serves(account));
    if (foreign !== undefined) {
      const hint = 'Ask a server that has it.';
      throw new StateFault(
        'missing',
        `${kept?.id} concerns the account ${foreign}, which is not one of this server. ${hint}`,
      );
    }
    if (kept) return kept;
    const listed = all.map((one) => one.id).join(', ');
    if (listed === '') throw new StateFault('missing', 'Nothing can be undone now.');
    throw new StateFault('missing', `${id} is not kept, or not any more. These can be undone: ${listed}.`);
  }

  async #revert(kept: UndoRecord): Promise<UndoTally> {
    const { store, report } = this.#options;
    const { snapshots } = store;
    const tally = new UndoTally();
    const states = new FrozenStates(snapshots);
    const id = keptOf(kept.id);
    let changed: readonly { readonly account: string; readonly name?: string }[] = kept.accounts.map((account) => ({
      account,
    }));
    if (!kept.plan) {
      const touched = kept.touched && new Map(kept.touched);
      const concerns: TableSelection | undefined =
        touched && ((account, name) => touched.get(account)?.includes(store.nameKey(account, name)) === true);
      const whole = await snapshots.kept.revertTables(id, concerns);
      if (!whole) throw new StateFault('missing', `${kept.id} was undone or removed just now.`);
      tally.tables = whole.tables;
      changed = whole.changed;
    }
    try {
      for (const account of new Set(changed.map((one) => one.account))) {
        const before = await states.freeze({ account, kept: { ...id, moment: 'before' } });
        const isEmptied = kept.plan !== undefined || kept.emptied.includes(account);
        const after = isEmptied ? undefined : await states.find({ account, kept: { ...id, moment: 'after' } });
        const named = changed.flatMap((one) => (one.account === account && one.name !== undefined ? [one.name] : []));
        const tables = kept.plan ? (await before.list()).map(({ name }) => name) : named;
        for (const table of tables) {
          const reverted = { account, table, before, after, plan: kept.plan };
          await revertRows(snapshots.kept, reverted, tally);
          await revertPolicies(store, reverted);
        }
      }
    } finally {
      await states.release(report);
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
}

/** Returns what the record of a call keeps of what it does. */
function recordOf({
  accounts,
  emptied = [],
  touched,
  plan,
}: Removal): Pick<UndoRecord, 'accounts' | 'emptied' | 'touched' | 'plan'> {
  const tables = touched && [...touched].map(([account, keys]) => [account, [...keys]] as const);
  const { ranges, filter } = plan ?? {};
  return {
    accounts,
    emptied,
    ...(tables && { touched: tables }),
    ...(ranges && { plan: { ranges, ...(filter && { filter }) } }),
  };
}
