import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import { FrozenStates } from '../../state/frozen-states.js';
import { presentTables, rowsOf } from '../../state/pair-rows.js';
import { revertRows, UndoTally } from '../../state/revert-rows.js';
import { StateFault } from '../../state/state-fault.js';
import type { CommittedTransaction } from '../../store/commit-listeners.js';
import type { TableSelection } from '../../store/copy/stored-parts.js';
import type { FrozenTables, KeptId } from '../../store/snapshots.js';
import { isRefusal, type Store } from '../../store/store.js';
import type { ImportMode } from '../contract.js';
import type { ImportTarget } from './import-items.js';
import { OwnWrites } from './own-writes.js';

/** The tables that an import has changed, by account and the form in which names are compared. */
export type TouchedTables = Map<string, Set<string>>;

/** An import of everything or nothing. */
export interface WholeImport {
  readonly store: Store;
  readonly target: ImportTarget;
  /** The accounts that it may go to. */
  readonly accounts: readonly string[];
  /** Decides by account and name which tables it may go to. Absent: all. */
  readonly concerns: TableSelection | undefined;
  readonly mode: ImportMode;
  /** Is emptied when everything was taken back. */
  readonly touched: TouchedTables;
  /** Gets the errors of copies that could not be removed. */
  readonly report: (error: unknown) => void;
}

/**
 * Imports everything or nothing: if `run` fails, what it wrote is taken back, and nothing else. `run` imports into the target
 * that it gets. Errors: those of `run`; the store's, if something could not be taken back.
 */
export async function importWhole<T>(whole: WholeImport, run: (target: ImportTarget) => Promise<T>): Promise<T> {
  const { store, accounts, concerns, mode } = whole;
  const { snapshots } = store;
  const kept: KeptId = { kind: 'import', id: randomBytes(8).toString('hex') };
  const own = new OwnImport(whole, kept);
  // It listens before the snapshot is taken, so that nothing is missed that others write.
  const end = store.onCommit((made) => own.note(made), 'new');
  try {
    // Where nothing is replaced, nothing has to be kept.
    await snapshots.kept.begin(kept, accounts, mode === 'insert' ? () => false : concerns);
    return await run(own.target);
  } catch (error) {
    end();
    await own.takeBack();
    throw error;
  } finally {
    end();
    await snapshots.kept.drop(kept).catch(whole.report);
  }
}

/** What an import has done so far. */
class OwnImport {
  readonly #whole: WholeImport;
  readonly #kept: KeptId;
  /** Tells the writes of the import from all others. */
  readonly #source = {};
  readonly #writes: OwnWrites;
  /** When each table was created that the import has made, by account and key. */
  readonly #made = new Map<string, Map<string, string>>();
  /** The policies that it has written, by table. */
  readonly #policies = new Map<string, readonly AccessPolicy[]>();

  constructor(whole: WholeImport, kept: KeptId) {
    this.#whole = whole;
    this.#kept = kept;
    this.#writes = new OwnWrites(this.#source, whole.mode !== 'insert');
  }

  /** Where the import goes, so that what it does is noted. */
  get target(): ImportTarget {
    const { store, target, accounts } = this.#whole;
    return {
      ...target,
      source: this.#source,
      store: {
        nameKey: (account, name) => store.nameKey(account, name),
        openTable: (account, name) => store.openTable(account, name),
        createTable: async (account, name) => {
          const made = await store.createTable(account, name);
          if (isRefusal(made)) return made;
          const tables = this.#made.get(account) ?? new Map();
          this.#made.set(account, tables.set(store.nameKey(account, name), made.created));
          return made;
        },
      },
      accountOf: (named) => {
        const account = target.accountOf(named);
        if (accounts.includes(account)) return account;
        throw new StateFault('invalid', `A strict import into the branch ${account} needs it as its account.`);
      },
      onPolicies: (account, name, policies) => this.#policies.set(this.#idOf(account, name), policies),
    };
  }

  /** Notes a transaction, of the import or of others. */
  note(transaction: CommittedTransaction): void {
    const { account, table } = transaction;
    const { accounts, concerns = () => true } = this.#whole;
    if (!accounts.includes(account) || !concerns(account, table)) return;
    this.#writes.add(this.#idOf(account, table), transaction);
  }

  /** Gives all tables back what they were, but for what others have written. */
  async takeBack(): Promise<void> {
    const { store, touched, report } = this.#whole;
    const states = new FrozenStates(store.snapshots);
    try {
      for (const [account, names] of touched) {
        const before = await states.freeze({ account, kept: { ...this.#kept, moment: 'before' } });
        for (const table of names) {
          const own = this.#writes.rowsOf(this.#idOf(account, table));
          const after = presentTables(store, account);
          const reverted = { account, table, before, after, plan: undefined, own };
          await revertRows(store.snapshots.kept, reverted, new UndoTally());
          await this.#revertPolicies(account, table, before);
        }
      }
      await this.#removeMade(states);
    } finally {
      await states.release(report);
    }
    touched.clear();
  }

  async #revertPolicies(account: string, table: string, before: FrozenTables): Promise<void> {
    const { store } = this.#whole;
    const written = this.#policies.get(this.#idOf(account, table));
    const handle = store.openTable(account, table);
    if (!written || !isDeepStrictEqual(await handle.readAccessPolicies(), written)) return;
    await handle.writeAccessPolicies((await before.open(table).readAccessPolicies()) ?? []);
  }

  /** Removes the tables that the import has made, unless others have written into them. */
  async #removeMade(states: FrozenStates): Promise<void> {
    const { store } = this.#whole;
    const { kept } = store.snapshots;
    const createdOf = (account: string, name: string) => this.#made.get(account)?.get(store.nameKey(account, name));
    if (this.#made.size === 0) return;
    await kept.end(this.#kept, [...this.#made.keys()], (account, name) => createdOf(account, name) !== undefined);
    const unused = new Set<string>();
    for (const account of this.#made.keys()) {
      const left = await states.freeze({ account, kept: { ...this.#kept, moment: 'after' } });
      for (const { name, created } of await left.list()) {
        const first = await rowsOf(left, name).next();
        if (first.done && created === createdOf(account, name)) unused.add(this.#idOf(account, name));
      }
    }
    await kept.revertTables(this.#kept, (account, name) => unused.has(this.#idOf(account, name)));
  }

  #idOf(account: string, table: string): string {
    return `${account}/${this.#whole.store.nameKey(account, table)}`;
  }
}
