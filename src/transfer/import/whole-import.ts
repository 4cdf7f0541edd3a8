import { randomBytes } from 'node:crypto';
import { concernsOf, type NamedTables } from '../../state/named-states.js';
import type { KeptId } from '../../store/snapshots.js';
import type { Store } from '../../store/store.js';

/** The tables that an import has changed, by account and the form in which names are compared. */
export type TouchedTables = Map<string, Set<string>>;

/** An import of everything or nothing. */
export interface WholeImport {
  readonly store: Store;
  /** The accounts that it may go to. */
  readonly accounts: readonly string[];
  /** The tables that it may go to. */
  readonly named: NamedTables;
  /** Is emptied when everything was taken back. */
  readonly touched: TouchedTables;
  /** Gets the errors of snapshots that could not be removed. */
  readonly report: (error: unknown) => void;
}

/**
 * Imports everything or nothing: if `run` fails, the tables that it has changed are as they were before, without what others wrote
 * to them meanwhile. Errors: those of `run`; the store's, if they could not be restored.
 */
export async function importWhole<T>(whole: WholeImport, run: () => Promise<T>): Promise<T> {
  const { store, accounts, named, touched, report } = whole;
  const { snapshots } = store;
  const kept: KeptId = { kind: 'import', id: randomBytes(8).toString('hex') };
  try {
    await snapshots.kept.begin(kept, accounts, concernsOf(named, store));
    return await run();
  } catch (error) {
    const concerns = concernsOf({ names: [...touched].map(([account, keys]) => [account, [...keys]]) }, store);
    const moves = accounts.map((name) => ({ from: name, to: name, ...(concerns && { concerns }) }));
    if (touched.size > 0) await snapshots.exchange({ restored: { snapshot: kept, accounts: moves } });
    touched.clear();
    throw error;
  } finally {
    await snapshots.kept.drop(kept).catch(report);
  }
}
