import { type Config, ConfigError, checkAccounts, defaultConfig } from '../config.js';
import { checkOptions } from './check-options.js';
import type { TabulariumOptions } from './tabularium.js';

/**
 * The settings of an instance beside its certificate.
 *
 * Errors: ConfigError for an unknown option, for a value that an option does not take, and for bearer tokens without HTTPS.
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
