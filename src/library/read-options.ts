import { asCosmosAccounts, ConfigError, checkAccounts, escapeText } from '../config.js';
import type { Account } from '../protocol/access/accounts.js';
import { type Fields, faultOfFields, optional } from '../schema.js';
import {
  type Config,
  type CosmosConfig,
  defaultConfig,
  defaultCosmos,
  selfSigned,
  toConfig,
} from '../settings/config.js';
import { libraryOptions } from '../settings/library-options.js';
import { defaultValues, type SettingValues } from '../settings/settings.js';
import type { TabulariumOptions } from './options.js';

const fields: Fields = Object.fromEntries([...libraryOptions].map(([name, { is }]) => [name, optional(is)]));

/**
 * Validates the options at run time too, for callers without TypeScript. Returns the settings of an instance.
 *
 * Errors: ConfigError for an unknown option, an invalid value, or options that exclude or need others.
 */
export function readOptions(options: TabulariumOptions): Config {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigError('The options must be an object, as { port: 0 }.');
  }
  const fault = faultOfFields(fields, options, (name) => name);
  if (fault !== undefined) throw new ConfigError(escapeText(fault));
  const { accounts, cosmos, https, oauth = false, identities, explorer, undo, logger, location, database } = options;
  if (oauth && !https) throw new ConfigError('oauth needs https.');
  if (identities !== undefined && !https) throw new ConfigError('identities need https.');
  if (oauth && identities !== undefined) throw new ConfigError('identities and oauth exclude each other.');
  if (database !== undefined && location !== undefined)
    throw new ConfigError('database and location exclude each other.');
  const served = accounts === undefined ? defaultConfig.accounts : checkAccounts(accounts, 'accounts');
  const config = toConfig(
    {
      ...{ ...defaultValues, tablePort: 0, silent: logger === undefined, oauth: oauth ? 'basic' : undefined },
      inMemoryPersistence: location === undefined,
      ...chosenValues(options),
    },
    {
      accounts: served,
      cosmos: chooseCosmos(cosmos, served),
      explorer: explorer ?? defaultConfig.explorer,
      undo: undo ?? defaultConfig.undo,
    },
  );
  return { ...config, tls: chooseTls(https, config) };
}

/** Returns the settings that the options contain. */
function chosenValues(options: TabulariumOptions): Partial<SettingValues> {
  const settings = Object.entries(options).flatMap(([name, value]) => {
    const setting = libraryOptions.get(name)?.setting;
    return setting === undefined || value === undefined ? [] : [[setting, value]];
  });
  return Object.fromEntries(settings);
}

function chooseCosmos(wish: TabulariumOptions['cosmos'], others: readonly Account[]): CosmosConfig | undefined {
  if (!wish) return undefined;
  const { port = 0, accounts } = wish === true ? {} : wish;
  const own = accounts === undefined ? defaultCosmos.accounts : checkAccounts(accounts, 'cosmos.accounts');
  return { port, accounts: asCosmosAccounts(own, others, 'cosmos.accounts') };
}

/** Returns the certificate of an instance. A self-signed one is stored with data in a folder, and otherwise created on each start. */
function chooseTls(https: TabulariumOptions['https'], config: Config): Config['tls'] {
  if (!https) return undefined;
  if (https === true) return selfSigned(config, !config.inMemory && !config.database);
  return 'pfx' in https
    ? { kind: 'pfx', file: https.pfx, password: https.password }
    : { kind: 'pem', cert: https.cert, key: https.key, password: https.password };
}
