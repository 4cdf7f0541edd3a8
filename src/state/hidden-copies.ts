import { randomBytes } from 'node:crypto';
import type { BranchRecord, SnapshotStore } from '../store/snapshots.js';
import { StateFault } from './state-fault.js';

/** How long a copy stays that a server could not remove. Unit: milliseconds. Ours: longer than any use of one. */
const keptMs = 60 * 60 * 1000;

/** Copies of states that no client can reach, since they have no key, and no account has such a name. */
export class HiddenCopies {
  readonly #snapshots: SnapshotStore;
  readonly #made: string[] = [];

  constructor(snapshots: SnapshotStore) {
    this.#snapshots = snapshots;
  }

  /** Copies an account, as it is or as a snapshot has it. Returns the account of the copy. Errors: StateFault. */
  async make(from: BranchRecord['from']): Promise<string> {
    const account = `~${randomBytes(8).toString('hex')}`;
    const tables = await this.#snapshots.branch({ account, from, key: '', expires: Date.now() + keptMs });
    if (tables === undefined) throw new StateFault('missing', `There is no snapshot ${from.snapshot}.`);
    this.#made.push(account);
    return account;
  }

  /** Removes all copies. One that fails does not keep the others, and goes within an hour, or at a restart. `report` gets its error. */
  async end(report: (error: unknown) => void): Promise<void> {
    const ended = await Promise.allSettled(this.#made.map((account) => this.#snapshots.endBranch(account)));
    for (const one of ended) if (one.status === 'rejected') report(one.reason);
  }
}
