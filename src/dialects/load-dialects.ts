import type { Account, DialectName } from '../protocol/access/accounts.js';
import type { Dialect } from './dialect.js';
import { storageDialect } from './storage/storage-dialect.js';

/** Loads each dialect. A server loads only those that it speaks. */
const loaders: Readonly<Record<DialectName, () => Promise<Dialect> | Dialect>> = {
  storage: () => storageDialect,
  cosmos: async () => (await import('./cosmos/cosmos-dialect.js')).cosmosDialect,
};

class Dialects {
  readonly #spoken: ReadonlyMap<DialectName, Dialect>;

  constructor(spoken: readonly Dialect[]) {
    this.#spoken = new Map(spoken.map((dialect) => [dialect.name, dialect]));
  }

  list(): readonly Dialect[] {
    return [...this.#spoken.values()];
  }

  /** Returns the dialect of an account: that of storage for one that is unknown, or whose dialect the server does not speak. */
  of(account: Pick<Account, 'dialect'> | undefined): Dialect {
    return this.#spoken.get(account?.dialect ?? storageDialect.name) ?? storageDialect;
  }
}

/** Loads dialects by their names. */
export async function loadDialects(names: readonly DialectName[]): Promise<Dialects> {
  return new Dialects(await Promise.all(names.map((name) => loaders[name]())));
}
