import { defaultServiceProperties, type ServiceProperties } from '../../protocol/service-properties.js';
import type { Engine } from './engine.js';
import { encodeServiceKey } from './key-encoding.js';
import { type PendingChange, PendingValues } from './pending-values.js';

/**
 * Keeps the settings of all accounts in memory, because every request needs the CORS rules of its account.
 *
 * Readers get the settings that are written. Changes apply to those that will be written.
 */
export class ServiceSettings {
  readonly #engine: Engine;
  readonly #known = new Map<string, ServiceProperties>();
  readonly #pending = new PendingValues<ServiceProperties>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the settings of an account if they are in memory. Does not use the engine. */
  known(account: string): ServiceProperties | undefined {
    return this.#known.get(account);
  }

  /** Returns the settings of an account; those of a new account if none were written. */
  read(account: string): ServiceProperties {
    let properties = this.#known.get(account);
    if (!properties) {
      const stored = this.#engine.getSync(encodeServiceKey(account));
      properties = stored === undefined ? defaultServiceProperties : (JSON.parse(stored) as ServiceProperties);
      this.#known.set(account, properties);
    }
    return properties;
  }

  /** Replaces some settings of an account. */
  change(account: string, changed: Partial<ServiceProperties>): PendingChange {
    return this.replace(account, { ...this.readPending(account), ...changed });
  }

  /** Returns the settings of an account as they will be when all pending changes are written. */
  readPending(account: string): ServiceProperties {
    // Always read first, because readers get these settings until the batch is written.
    const written = this.read(account);
    return this.#pending.get(account)?.value ?? written;
  }

  /** Replaces all settings of an account. Those of a new account need no record. */
  replace(account: string, properties: ServiceProperties): PendingChange {
    this.read(account);
    const text = JSON.stringify(properties);
    return this.#replace(account, properties, text === JSON.stringify(defaultServiceProperties) ? null : text);
  }

  /** Gives an account the settings of a new account. */
  reset(account: string): PendingChange {
    this.read(account);
    return this.#replace(account, defaultServiceProperties, null);
  }

  /** Gives an account the settings of a new account, and keeps nothing of it in memory. */
  forget(account: string): PendingChange {
    const { records, written } = this.reset(account);
    const forgotten = () => {
      written();
      this.#known.delete(account);
    };
    return { records, written: forgotten };
  }

  /** Removes all pending changes, after they could not be written. */
  clearPending(): void {
    this.#pending.clear();
  }

  /** Removes everything from memory, after the engine was reopened. */
  clear(): void {
    this.#pending.clear();
    this.#known.clear();
  }

  #replace(account: string, properties: ServiceProperties, value: string | null): PendingChange {
    const settle = this.#pending.add(account, properties);
    const written = () => {
      settle();
      this.#known.set(account, properties);
    };
    return { records: [{ key: encodeServiceKey(account), value }], written };
  }
}
