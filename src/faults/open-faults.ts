import { randomInt } from 'node:crypto';
import { type Config, ConfigError } from '../config.js';
import type { Store } from '../store/store.js';
import { Faults } from './faults.js';
import { InvalidRule } from './read-value.js';

/**
 * Opens the faults of a server, with the rules of its settings. What clients set is kept with the data if other servers use it.
 *
 * Errors: ConfigError for rules that cannot be used.
 */
export async function openFaults(
  store: Store,
  { faults: text, faultSeed, deleteTableMs }: Pick<Config, 'faults' | 'faultSeed' | 'deleteTableMs'>,
): Promise<Faults> {
  const shared = store.rules && new (await import('./database-rules.js')).DatabaseRules(store.rules);
  const faults = new Faults({ store, shared, deleteTableMs });
  if (text === undefined) return faults;
  try {
    await faults.addAlways(text, faultSeed ?? randomInt(2 ** 32));
  } catch (error) {
    if (!(error instanceof InvalidRule)) throw error;
    throw new ConfigError(`The fault rules '${text}' cannot be used. ${error.message}`);
  }
  return faults;
}
