import type { Account, DialectName } from '../protocol/access/accounts.js';
import { lowerAscii } from '../protocol/names.js';
import { type AccountKeys, readAccountKeys, type SigningKey } from './signing-key.js';

/** An account with its decoded keys. */
interface Entry {
  readonly account: Account;
  readonly keys: AccountKeys;
  /** Whether the account was added at run time. Other accounts come from the settings. */
  readonly isAdded: boolean;
}

const noKeys: readonly SigningKey[] = [];

/** How many removed accounts are remembered. (Our choice: the branches of a large test run.) */
const endingsMax = 1024;

/**
 * The accounts of a server. They may change while it runs, and each request uses the current ones. A lookup allocates
 * nothing. The data of a removed account is kept: it is available again if the account is added again.
 */
export class Accounts {
  #entries: ReadonlyMap<string, Entry> = new Map();
  readonly #names = new Set<string>();
  readonly #lowerNames = new Set<string>();
  readonly #namesOf: Readonly<Record<DialectName, Set<string>>> = { storage: new Set(), cosmos: new Set() };
  /** By account, the oldest first. */
  readonly #endings = new Map<string, string>();
  #revision = 0;

  constructor(accounts: readonly Account[]) {
    this.replace(accounts);
  }

  /** Returns the current names in the order in which they were added. The set is live. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Returns the current names of the accounts of one service. The set is live. */
  namesOf(dialect: DialectName): ReadonlySet<string> {
    return this.#namesOf[dialect];
  }

  /** Increases with every change, so that callers can refresh derived data. */
  get revision(): number {
    return this.#revision;
  }

  /** Returns the accounts with their keys, in the order in which they were added. */
  list(): readonly Account[] {
    return [...this.#entries.values()].map(({ account }) => account);
  }

  find(name: string): Account | undefined {
    return this.#entries.get(name)?.account;
  }

  /** Returns the keys of an account, or an empty list if the account is unknown. */
  keysOf(name: string): AccountKeys {
    return this.#entries.get(name)?.keys ?? noKeys;
  }

  isAdded(name: string): boolean {
    return this.#entries.get(name)?.isAdded ?? false;
  }

  /** Returns whether an account has this name in any letter case. `lowerName` is in lower case. */
  hasLowerName(lowerName: string): boolean {
    return this.#lowerNames.has(lowerName);
  }

  /** Adds an account. Errors: Error if there is already an account with this name. */
  add(account: Account): void {
    if (this.#names.has(account.name)) throw new Error(`There is an account ${account.name} already.`);
    this.#use([...this.#entries.values(), entryOf(account, true)]);
  }

  /** Removes an account, added or from the settings. `ending` is a sentence about it for later requests. Returns whether it existed. */
  remove(name: string, ending?: string): boolean {
    const isKnown = this.#names.has(name);
    if (isKnown) this.#use([...this.#entries.values()].filter(({ account }) => account.name !== name));
    if (isKnown && ending !== undefined) this.#endings.set(name, ending);
    const [oldest = ''] = this.#endings.keys();
    if (this.#endings.size > endingsMax) this.#endings.delete(oldest);
    return isKnown;
  }

  /** Returns the sentence about the end of a removed account; undefined if there is none, or too many accounts ended since. */
  endingOf(name: string): string | undefined {
    return this.#endings.get(name);
  }

  /**
   * Replaces the accounts of the settings. Accounts that were added while the server was running stay, unless a new one
   * has the same name.
   */
  replace(accounts: readonly Account[]): void {
    const names = new Set(accounts.map(({ name }) => name));
    const added = [...this.#entries.values()].filter(({ account, isAdded }) => isAdded && !names.has(account.name));
    this.#use([...accounts.map((account) => entryOf(account, false)), ...added]);
  }

  #use(entries: readonly Entry[]): void {
    this.#entries = new Map(entries.map((entry) => [entry.account.name, entry]));
    for (const names of [this.#names, this.#lowerNames, ...Object.values(this.#namesOf)]) names.clear();
    for (const { account } of this.#entries.values()) {
      const { name, dialect = 'storage' } = account;
      this.#namesOf[dialect].add(name);
      this.#names.add(name);
      this.#lowerNames.add(lowerAscii(name));
    }
    this.#revision++;
  }
}

function entryOf(account: Account, isAdded: boolean): Entry {
  return { account, keys: readAccountKeys(account.keys), isAdded };
}
