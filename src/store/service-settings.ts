import { defaultServiceProperties, type ServiceProperties } from '../protocol/service-properties.js';
import type { CommitQueue, Engine, RecordChange } from './commit-queue.js';
import { encodeServiceKey } from './key-encoding.js';

/** The settings of all accounts, read once: every read is asked for the rules of other origins. */
export class ServiceSettings {
  readonly #engine: Engine;
  readonly #queue: CommitQueue;
  readonly #known = new Map<string, ServiceProperties>();

  constructor(engine: Engine, queue: CommitQueue) {
    this.#engine = engine;
    this.#queue = queue;
  }

  /** The settings of an account; those of a new one where none were written. */
  read(account: string): ServiceProperties {
    let properties = this.#known.get(account);
    if (!properties) {
      const stored = this.#engine.getSync(encodeServiceKey(account));
      properties = stored === undefined ? defaultServiceProperties : (JSON.parse(stored) as ServiceProperties);
      this.#known.set(account, properties);
    }
    return properties;
  }

  /** Replaces the settings of an account. Resolves when they are kept. */
  async write(account: string, properties: ServiceProperties): Promise<void> {
    const written = this.#queue.add([{ key: encodeServiceKey(account), value: JSON.stringify(properties) }]);
    this.#known.set(account, properties);
    await written;
  }

  /** Gives an account those of a new one: the change that keeps it so. */
  reset(account: string): RecordChange {
    this.#known.set(account, defaultServiceProperties);
    return { key: encodeServiceKey(account), value: null };
  }

  /** Has everything read anew: a write failed. */
  forget(): void {
    this.#known.clear();
  }
}
