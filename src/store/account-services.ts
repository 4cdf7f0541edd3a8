import { type ServiceTraits, storageTraits } from '../protocol/service-traits.js';

/** The services that the accounts of an open store belong to. */
export class AccountServices {
  readonly #traits = new Map<string, ServiceTraits>();

  /** Tells which service an account belongs to. */
  open(account: string, traits: ServiceTraits): void {
    if (traits.service === storageTraits.service) this.#traits.delete(account);
    else this.#traits.set(account, traits);
  }

  /** Returns the traits of an account: those of storage accounts unless it was opened otherwise. */
  traitsOf(account: string): ServiceTraits {
    return this.#traits.get(account) ?? storageTraits;
  }
}
