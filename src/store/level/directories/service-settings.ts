import { defaultServiceProperties, type ServiceProperties } from '../../../protocol/service-properties.js';
import type { Engine } from '../engine/engine.js';
import { decodeRecordKey, encodeServiceKey } from '../engine/key-encoding.js';
import { readRecords } from './check-records.js';
import { type PendingChange, PendingValues } from './pending-values.js';

/**
 * Keeps the settings of all accounts in memory, because every request needs the CORS rules of its account.
 *
 * Readers get the settings that are written. Changes apply to those that will be written.
 */
export class ServiceSettings {
  readonly #known = new Map<string, ServiceProperties>();
  readonly #pending = new PendingValues<ServiceProperties>();

  /** Reads all settings from the engine. Errors: StoreError if some cannot be read. */
  async load(engine: Engine, location: string): Promise<void> {
    for (const [key, properties] of await readRecords<ServiceProperties>(engine, 'service', location)) {
      this.#known.set(decodeRecordKey(key).account, properties);
    }
  }

  /** Returns the settings of an account; those of a new account if none were written. */
  read(account: string): ServiceProperties {
    return this.#known.get(account) ?? defaultServiceProperties;
  }

  /** Replaces some settings of an account. */
  change(account: string, changed: Partial<ServiceProperties>): PendingChange {
    return this.replace(account, { ...this.readPending(account), ...changed });
  }

  /** Returns the settings of an account as they will be when all pending changes are written. */
  readPending(account: string): ServiceProperties {
    return this.#pending.get(account)?.value ?? this.read(account);
  }

  /** Replaces all settings of an account. Those of a new account need no record. */
  replace(account: string, properties: ServiceProperties): PendingChange {
    const text = JSON.stringify(properties);
    const value = text === JSON.stringify(defaultServiceProperties) ? null : text;
    const settle = this.#pending.add(account, properties);
    const written = () => {
      settle();
      if (value === null) this.#known.delete(account);
      else this.#known.set(account, properties);
    };
    return { records: [{ key: encodeServiceKey(account), value }], written };
  }

  /** Removes all pending changes, after they could not be written. */
  clearPending(): void {
    this.#pending.clear();
  }
}
