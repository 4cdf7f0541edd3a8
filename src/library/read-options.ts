import { type Config, ConfigError, checkAccounts, defaultConfig, isHostPattern } from '../config.js';
import type { TabulariumOptions } from './tabularium.js';

/**
 * The settings of an instance beside its certificate.
 *
 * Errors: ConfigError for accounts and hosts that cannot be, and for bearer tokens without HTTPS.
 */
export function readOptions(options: TabulariumOptions): Config {
  const { location, accounts, https = false, oauth = false, logger } = options;
  if (oauth && https === false) throw new ConfigError('oauth needs https.');
  return {
    ...defaultConfig,
    port: options.port ?? 0,
    host: options.host ?? defaultConfig.host,
    ...(location === undefined ? { inMemory: true } : { location }),
    accounts: accounts === undefined ? defaultConfig.accounts : checkAccounts(accounts, 'accounts'),
    allowedHosts: checkHosts(options.allowedHosts ?? []),
    oauth,
    cacheMb: options.cacheMb ?? defaultConfig.cacheMb,
    durability: options.durability ?? defaultConfig.durability,
    silent: logger === undefined,
  };
}

function checkHosts(names: readonly string[]): readonly string[] {
  const wrong = names.find((name) => !isHostPattern(name));
  if (wrong === undefined) return names;
  throw new ConfigError(`allowedHosts: '${wrong}' is not a host; write names without scheme and port.`);
}
