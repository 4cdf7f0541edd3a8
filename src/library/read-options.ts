import { type Config, ConfigError, checkAccounts, defaultConfig } from '../config.js';
import { checkOptions } from './check-options.js';
import type { TabulariumOptions } from './tabularium.js';

/**
 * Returns the settings of an instance, without its certificate.
 *
 * Errors: ConfigError for an unknown option, an invalid value, and `oauth` without `https`.
 */
export function readOptions(options: TabulariumOptions): Config {
  checkOptions(options);
  const { location, accounts, https = false, oauth = false, logger } = options;
  if (oauth && https === false) throw new ConfigError('oauth needs https.');
  return {
    ...defaultConfig,
    port: options.port ?? 0,
    host: options.host ?? defaultConfig.host,
    ...(location === undefined ? { inMemory: true } : { location }),
    accounts: accounts === undefined ? defaultConfig.accounts : checkAccounts(accounts, 'accounts'),
    allowedHosts: options.allowedHosts ?? [],
    oauth,
    cacheMb: options.cacheMb ?? defaultConfig.cacheMb,
    durability: options.durability ?? defaultConfig.durability,
    silent: logger === undefined,
  };
}
