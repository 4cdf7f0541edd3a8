import type { TableSelection } from '../store/copy/stored-parts.js';
import type { Exchange, Exchanged } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import type { UndoReport, UndoSummary } from './contract.js';
import { FrozenStates } from './frozen-states.js';
import { type RevertedTable, revertPolicies, revertRows, UndoTally } from './revert-rows.js';
import { StateFault } from './state-fault.js';
import { keptOf, type UndoRecord, UndoRecords } from './undo-records.js';

/** What calls that remove something have in common. */
interface Removal {
  /** What it does, in words. */
  readonly what: string;
  /** What it removes from tables that stay. Absent: it replaces or removes whole tables. */
  readonly plan?: RevertedTable['plan'];
}

/** A call that replaces or removes whole tables at once. */
export interface ExchangeRemoval extends Removal, Exchange {}

/** A call that goes on for a while, and is in part made if it fails. */
export interface LongRemoval extends Removal {
  readonly accounts: readonly string[];
  /** Decides by account and name whether it concerns a table. */
  readonly concerns: TableSelection | undefined;
  /**
   * The tables that it has changed, by account and the form in which names are compared: complete when it is over. What others
   * write into these tables meanwhile counts as its own. Absent: only what `plan` finds.
   */
  readonly touched?: ReadonlyMap<string, ReadonlySet<string>>;
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
   * Replaces or removes whole tables, and keeps them, both or neither. Returns undefined, without a change, if the snapshot is not as
   * it is expected.
   */
  async exchange(removal: ExchangeRemoval): Promise<(Exchanged & { readonly undo?: string }) | undefined> {
    const { what, plan, restored, reset = [], emptied = [] } = removal;
    const { store, keeps, report } = this.#options;
    const accounts = [
      ...(restored?.accounts ?? []).map(({ to }) => to),
      ...reset,
      ...emptied.map((one) => one.account),
    ];
    if (!accounts.every(keeps)) return store.snapshots.exchange(removal);
    const id = await this.#records.newId();
    const note = this.#records.noteOf({ id, what, accounts, ...planOf(plan) });
    const exchanged = await store.snapshots.exchange(removal, { ...keptOf(id), note });
    await this.#records.dropOld().catch(report);
    return exchanged && { ...exchanged, undo: id };
  }

  /**
   * Makes a call and keeps what it removes. `remove` must begin in the turn in which it is called: an engine in this process
   * then lets nothing come between. What others write between the snapshots of another engine and the call cannot be given
   * back. If something cannot be kept, that is reported, and the answer has no id.
   */
  async keep<T extends object>(
    removal: LongRemoval,
    remove: () => Promise<T>,
  ): Promise<T & { readonly undo?: string }> {
    const { what, accounts, concerns, plan, touched } = removal;
    const { store, keeps, report } = this.#options;
    const { kept: states } = store.snapshots;
    if (!accounts.every(keeps)) return remove();
    const id = await this.#records.newId();
    this.#records.underWay.add(id);
    const kept = keptOf(id);
    const record = (done: string) => {
      const tables = touched && [...touched].map(([account, keys]) => [account, [...keys]] as const);
      return { id, what: done, accounts, ...(tables && { touched: tables }), ...planOf(plan) };
    };
    // If the server is killed, what was removed so far can be given back.
    const cut = touched ? undefined : this.#records.noteOf(record(`${what}, which was cut off`));
    const before = states.begin(kept, accounts, concerns, cut);
    const removed = remove();
    // A plan finds again what was removed.
    const after = touched && removed.catch(() => {}).then(() => states.end(kept, accounts, concerns));
    const [made, ...ends] = await Promise.allSettled([removed, before, after]);
    const isMade = made.status === 'fulfilled';
    const isPartial = (error: unknown) => (touched ? touched.size > 0 : !(error instanceof StateFault));
    try {
      for (const one of ends) if (one.status === 'rejected') throw one.reason;
      if (!isMade && !isPartial(made.reason)) await this.#records.forget(id);
      else {
        await this.#records.add(record(isMade ? what : `${what}, which failed`));
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

  /** Drops what is kept of a call that has changed nothing. */
  forget(id: string): Promise<void> {
    return this.#records.forget(id);
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
    throw new StateFault('missing', `${id} is unknown or has expired. These can be undone: ${listed}.`);
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
        const after = kept.plan ? undefined : await states.find({ account, kept: { ...id, moment: 'after' } });
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
    return tally;
  }
}

/** Returns what the record of a call has of its plan. */
function planOf(plan: Removal['plan']): Pick<UndoRecord, 'plan'> {
  const { ranges, filter } = plan ?? {};
  return ranges ? { plan: { ranges, ...(filter && { filter }) } } : {};
}
