import type { Accounts } from '../auth/accounts.js';
import type { Store } from '../store/store.js';
import type { ResetReport, ResetTarget } from './contract.js';
import { resetToEmpty } from './reset.js';
import { StateFault } from './state-fault.js';

/** Changes the state of a server's data as a whole. The control endpoints and the library call it. */
export class State {
  readonly #store: Store;
  readonly #accounts: Accounts;

  constructor(store: Store, accounts: Accounts) {
    this.#store = store;
    this.#accounts = accounts;
  }

  /** Empties what `target` names; without one, all accounts. Errors: StateFault. */
  async reset(target: ResetTarget = {}): Promise<ResetReport> {
    const startedAt = performance.now();
    const report = await resetToEmpty(this.#store, this.#accountsOf(target.account), target);
    return { ...report, ms: performance.now() - startedAt };
  }

  /** Returns the accounts that are meant. Errors: StateFault for an unknown one. */
  #accountsOf(account: string | undefined): readonly string[] {
    const names = [...this.#accounts.names];
    if (account === undefined) return names;
    if (this.#accounts.names.has(account)) return [account];
    throw new StateFault('missing', `There is no account ${account}. The accounts are: ${names.join(', ')}.`);
  }
}
