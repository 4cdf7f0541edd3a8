import { randomInt } from 'node:crypto';
import { ConfigError } from '../config.js';
import type { Config } from '../settings/config.js';
import type { Store } from '../store/store.js';
import { Faults } from './faults.js';
import { InvalidRule } from './rules/invalid-rule.js';

/** Opens the faults of a server with the rules in its settings. Errors: ConfigError for invalid rules. */
export function openFaults(
  store: Store,
  { faults: text, faultSeed, deleteTableMs }: Pick<Config, 'faults' | 'faultSeed' | 'deleteTableMs'>,
): Faults {
  const faults = new Faults({ store, deleteTableMs });
  if (text === undefined) return faults;
  try {
    faults.addAlways(text, faultSeed ?? randomInt(2 ** 32));
  } catch (error) {
    if (!(error instanceof InvalidRule)) throw error;
    throw new ConfigError(`The fault rules '${text}' are invalid. ${error.message}`);
  }
  return faults;
}
