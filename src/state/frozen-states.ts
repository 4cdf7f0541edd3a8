import type { AccountState, FrozenTables, SnapshotStore } from '../store/snapshots.js';
import { StateFault } from './state-fault.js';

/** States of accounts that are held while something reads them. */
export class FrozenStates {
  readonly #snapshots: SnapshotStore;
  readonly #held: FrozenTables[] = [];

  constructor(snapshots: SnapshotStore) {
    this.#snapshots = snapshots;
  }

  /** Holds an account in a state. Returns undefined if it is missing. */
  async find(state: AccountState): Promise<FrozenTables | undefined> {
    const tables = await this.#snapshots.freeze(state);
    if (tables) this.#held.push(tables);
    return tables;
  }

  /** Holds an account in a state. Errors: StateFault if that is missing. */
  async freeze(state: AccountState): Promise<FrozenTables> {
    const tables = await this.find(state);
    if (tables) return tables;
    const { snapshot } = state;
    const what =
      snapshot === undefined ? 'What was there before is not kept any more.' : `There is no snapshot ${snapshot}.`;
    throw new StateFault('missing', what);
  }

  /** Releases all of them, even if one fails. `report` gets its error. */
  async release(report: (error: unknown) => void): Promise<void> {
    const released = await Promise.allSettled(this.#held.map((tables) => tables.release()));
    for (const one of released) if (one.status === 'rejected') report(one.reason);
  }
}
