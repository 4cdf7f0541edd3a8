import { lowerAscii } from '../protocol/names.js';
import { type ServiceTraits, storageTraits } from '../protocol/service-traits.js';
import { StoreError } from './store-error.js';

/** The stored record of an account that is not a storage account. Storage accounts have none. */
export interface AccountRecord {
  readonly account: string;
  readonly service: string;
  /** Whether two of its tables may have names that differ only in letter case. */
  readonly exactNames: boolean;
}

/** The services that the accounts of an open store belong to. */
export class AccountServices {
  readonly #traits = new Map<string, ServiceTraits>();

  /** Assigns an account to a service. */
  open(account: string, traits: ServiceTraits): void {
    if (traits.service === storageTraits.service) this.#traits.delete(account);
    else this.#traits.set(account, traits);
  }

  /** Returns the traits of an account. Default: those of storage accounts. */
  traitsOf(account: string): ServiceTraits {
    return this.#traits.get(account) ?? storageTraits;
  }

  /** Returns a table's name in the form that comparisons in its account use. */
  nameKey(account: string, name: string): string {
    return this.traitsOf(account).hasExactTableNames ? name : lowerAscii(name);
  }

  /** Returns the record of an account; undefined for a storage account. */
  recordOf(account: string): AccountRecord | undefined {
    const { service, hasExactTableNames: exactNames } = this.traitsOf(account);
    return service === storageTraits.service ? undefined : { account, service, exactNames };
  }
}

/** Checks that a service may use the data of `stored`, which is undefined if there is none. Errors: StoreError `other-service`. */
export function checkService(account: string, stored: string | undefined, service: string): void {
  if (stored === undefined || stored === service) return;
  throw new StoreError(
    'other-service',
    `The account ${account} has data of the service '${stored}', and is to be used with the service '${service}'.`,
    'Use another account name, or reset the account with the service that wrote it.',
  );
}
