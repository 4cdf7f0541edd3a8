import { join } from 'node:path';
import {
  asCosmosAccounts,
  type Config,
  ConfigError,
  type CosmosConfig,
  checkAccounts,
  defaultConfig,
  defaultCosmos,
  defaultDatabase,
} from '../config.js';
import type { Account } from '../protocol/access/accounts.js';
import { checkOptions } from './check-options.js';
import type { TabulariumOptions } from './tabularium.js';

/**
 * Returns the settings of an instance, without its certificate.
 *
 * Errors: ConfigError for an unknown option, an invalid value, and `oauth` without `https`.
 */
export function readOptions(options: TabulariumOptions): Config {
  checkOptions(options);
  const { accounts, https = false, oauth = false, logger } = options;
  if (oauth && https === false) throw new ConfigError('oauth needs https.');
  if (options.identities !== undefined && https === false) throw new ConfigError('identities need https.');
  if (oauth && options.identities !== undefined) throw new ConfigError('identities and oauth exclude each other.');
  const served = accounts === undefined ? defaultConfig.accounts : checkAccounts(accounts, 'accounts');
  return {
    ...defaultConfig,
    port: options.port ?? 0,
    host: options.host ?? defaultConfig.host,
    ...choosePlace(options),
    ...chooseStartData(options),
    accounts: served,
    cosmos: chooseCosmos(options.cosmos, served),
    allowedHosts: options.allowedHosts ?? [],
    oauth,
    identity: chooseIdentity(options),
    journal: options.journal ?? defaultConfig.journal,
    journalBodies: options.journalBodies ?? defaultConfig.journalBodies,
    explorer: options.explorer ?? defaultConfig.explorer,
    undo: options.undo ?? defaultConfig.undo,
    admin: options.admin ?? defaultConfig.admin,
    adminToken: options.adminToken,
    adminReadToken: options.adminReadToken,
    faults: options.faults,
    faultSeed: options.faultSeed,
    deleteTableMs: options.deleteTableMs ?? defaultConfig.deleteTableMs,
    cacheMb: options.cacheMb ?? defaultConfig.cacheMb,
    durability: options.durability ?? defaultConfig.durability,
    silent: logger === undefined,
  };
}

function chooseCosmos(asked: TabulariumOptions['cosmos'], others: readonly Account[]): CosmosConfig | undefined {
  if (!asked) return undefined;
  const { port = 0, accounts } = asked === true ? {} : asked;
  const own = accounts === undefined ? defaultCosmos.accounts : checkAccounts(accounts, 'cosmos.accounts');
  return { port, accounts: asCosmosAccounts(own, others, 'cosmos.accounts') };
}

function choosePlace(options: TabulariumOptions): Partial<Pick<Config, 'inMemory' | 'location' | 'database'>> {
  const { location, database: url, databaseSchema, databaseConnections } = options;
  if (url === undefined) return location === undefined ? { inMemory: true } : { location };
  if (location !== undefined) throw new ConfigError('database and location exclude each other.');
  const { schema, connections } = defaultDatabase;
  return { database: { url, schema: databaseSchema ?? schema, connections: databaseConnections ?? connections } };
}

/** Returns where the identities are. An instance in memory or in a database has a new key each time. */
function chooseIdentity({ identities: source, location, database }: TabulariumOptions): Config['identity'] {
  if (source === undefined) return undefined;
  const isOnDisk = location !== undefined && database === undefined;
  const keyFolder = isOnDisk ? join(location, 'tabularium-identity') : undefined;
  return { source, keyFile: undefined, keyFolder, secrets: undefined };
}

function chooseStartData({
  seed = [],
  import: importPath,
  exportOnExit = false,
}: TabulariumOptions): Pick<Config, 'seeds' | 'importPath' | 'exportPath'> {
  const seeds = typeof seed === 'string' ? [seed] : seed;
  if (seeds.length > 0 && importPath !== undefined) throw new ConfigError('seed and import exclude each other.');
  if (exportOnExit === true && importPath === undefined) throw new ConfigError('exportOnExit needs a path, or import.');
  const exportPath = exportOnExit === true ? importPath : exportOnExit === false ? undefined : exportOnExit;
  return { seeds, importPath, exportPath };
}
