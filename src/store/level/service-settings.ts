import { defaultServiceProperties, type ServiceProperties } from '../../protocol/service-properties.js';
import type { Engine } from './engine.js';
import { encodeServiceKey } from './key-encoding.js';
import { type PendingChange, PendingValues } from './pending-values.js';

/**
 * The settings of all accounts, each read once: every request asks for its account's CORS rules.
 *
 * Readers get what is written to the engine; changes are made to what will be written.
 */
export class ServiceSettings {
  readonly #engine: Engine;
  readonly #known = new Map<string, ServiceProperties>();
  readonly #pending = new PendingValues<ServiceProperties>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the settings of an account where they were read before; needs no engine. */
  known(account: string): ServiceProperties | undefined {
    return this.#known.get(account);
  }

  /** Returns the settings of an account; those of a new one where none were written. */
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
    // Read first in any case: what is known before the batch is what readers get until it is written.
    const written = this.read(account);
    const properties = { ...(this.#pending.get(account)?.value ?? written), ...changed };
    return this.#replace(account, properties, JSON.stringify(properties));
  }

  /** Gives an account the settings of a new one. */
  reset(account: string): PendingChange {
    this.read(account);
    return this.#replace(account, defaultServiceProperties, null);
  }

  /** Drops all changes that wait: they could not be written. */
  forgetPending(): void {
    this.#pending.clear();
  }

  /** Drops everything, so that it is read again: the engine was opened again. */
  forget(): void {
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
