import type { Account } from '../protocol/accounts.js';
import { lowerAscii } from '../protocol/names.js';
import { type AccountKeys, readAccountKeys } from './signing-key.js';

/** An account with its keys ready to sign. */
interface Entry {
  readonly account: Account;
  readonly keys: AccountKeys;
  /** Whether it was added while the server ran, beside the accounts of the settings. */
  readonly isAdded: boolean;
}

const noKeys: AccountKeys = [];

/**
 * The accounts that a server serves. They may change while it runs; each request sees the present ones. A lookup
 * allocates nothing. Data of an account that goes stays, and is there when the account comes back.
 */
export class Accounts {
  #entries: ReadonlyMap<string, Entry> = new Map();
  readonly #names = new Set<string>();
  readonly #lowerNames = new Set<string>();
  #revision = 0;

  /** Begins with the accounts of the settings. */
  constructor(accounts: readonly Account[]) {
    this.replace(accounts);
  }

  /** The present names, in the order in which they came. The set is live. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Grows with every change, for callers that keep what they derived from the accounts. */
  get revision(): number {
    return this.#revision;
  }

  /** Returns the keys of an account; none for an unknown account. */
  keysOf(name: string): AccountKeys {
    return this.#entries.get(name)?.keys ?? noKeys;
  }

  /** Returns whether an account has this name in any letter case. `lowerName` is in lower case. */
  hasLowerName(lowerName: string): boolean {
    return this.#lowerNames.has(lowerName);
  }

  /** Adds one account beside those of the settings. Errors: Error if its name is taken. */
  add(account: Account): void {
    if (this.#names.has(account.name)) throw new Error(`There is an account ${account.name} already.`);
    this.#use([...this.#entries.values(), entryOf(account, true)]);
  }

  /** Removes an account, wherever it came from. Returns whether there was one. */
  remove(name: string): boolean {
    const isKnown = this.#names.has(name);
    if (isKnown) this.#use([...this.#entries.values()].filter(({ account }) => account.name !== name));
    return isKnown;
  }

  /** Replaces the accounts of the settings by these. Accounts that were added stay, unless one of these has their name. */
  replace(accounts: readonly Account[]): void {
    const names = new Set(accounts.map(({ name }) => name));
    const added = [...this.#entries.values()].filter(({ account, isAdded }) => isAdded && !names.has(account.name));
    this.#use([...accounts.map((account) => entryOf(account, false)), ...added]);
  }

  #use(entries: readonly Entry[]): void {
    this.#entries = new Map(entries.map((entry) => [entry.account.name, entry]));
    this.#names.clear();
    this.#lowerNames.clear();
    for (const name of this.#entries.keys()) {
      this.#names.add(name);
      this.#lowerNames.add(lowerAscii(name));
    }
    this.#revision++;
  }
}

function entryOf(account: Account, isAdded: boolean): Entry {
  return { account, keys: readAccountKeys(account.keys), isAdded };
}
