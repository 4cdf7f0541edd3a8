import { join } from 'node:path';
import { ConfigError } from '../config.js';
import { type Account, cosmosEmulatorAccount, developmentAccount } from '../protocol/access/accounts.js';
import type { TlsConfig } from '../tls/own-certificate.js';
import { certificateHosts } from '../tls/own-certificate.js';
import { defaultValues, type SettingName, type SettingValues } from './settings.js';

/** Settings that `toConfig` converts or omits; it copies all others. */
const converted = [
  ...(['tableHost', 'tablePort', 'disableProductStyleUrl', 'noExplorer', 'inMemoryPersistence'] as const),
  ...(['tableKeepAliveTimeout', 'tableHeadersTimeout', 'tableBodyTimeout'] as const),
  ...(['cosmos', 'cosmosPort', 'cosmosAccounts', 'accounts', 'accountsFile'] as const),
  ...(['database', 'databaseSchema', 'databaseConnections', 'seed', 'import', 'exportOnExit'] as const),
  ...(['cert', 'key', 'pwd', 'https', 'identity', 'identityKey', 'identitySecrets', 'oauth'] as const),
  ...(['loose', 'skipApiVersionCheck', 'disableTelemetry'] as const),
] satisfies readonly SettingName[];

/** The validated settings of a server, from the command line or the library. */
export interface Config extends Omit<SettingValues, (typeof converted)[number]> {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The second listener, for Azure Cosmos DB for Table; undefined for none. */
  readonly cosmos: CosmosConfig | undefined;
  readonly inMemory: boolean;
  /** The database, if it keeps the data instead of a folder. */
  readonly database: DatabaseConfig | undefined;
  /** Files and folders to load into an empty location on start. Resets return to them. */
  readonly seeds: readonly string[];
  /** A file or folder to import into an empty location on start. */
  readonly importPath: string | undefined;
  /** The file or folder to export to when the server stops. */
  readonly exportPath: string | undefined;
  readonly accounts: readonly Account[];
  /** Whether an account in the path always takes precedence over one in the host name: `--disableProductStyleUrl`. */
  readonly pathFirst: boolean;
  /** Timeout of an idle connection; 0 for no limit. */
  readonly keepAliveMs: number;
  /** Timeout for the headers of a request; 0 for no limit. */
  readonly headersMs: number;
  /** Longest pause between two chunks of a request body; 0 for no limit. */
  readonly bodyMs: number;
  /** Whether the coach sees every request, even under load, which costs each of them more. */
  readonly coachesAll: boolean;
  /** Whether the server has a page for browsers at `/_tabularium/`. */
  readonly explorer: boolean;
  /** Whether resets, restores, imports and deletions can be undone. */
  readonly undo: boolean;
  /** Whether to accept bearer tokens without verification. Needs HTTPS. */
  readonly oauth: boolean;
  /** The identities whose tokens are verified; undefined for none. Needs HTTPS. */
  readonly identity: IdentityConfig | undefined;
  /** The certificate for HTTPS; undefined for HTTP. */
  readonly tls: TlsConfig | undefined;
  /** Whether to send a span for each request to the collector named in the variables of OpenTelemetry. */
  readonly traces: boolean;
}

/** The identities whose tokens a server verifies. */
export interface IdentityConfig {
  /** The path of a file of identities, which is reloaded when it changes, or its content. */
  readonly source: string | object;
  /** The file of the RSA key that signs tokens; undefined: the server creates a key. */
  readonly keyFile: string | undefined;
  /** The folder of the server's own key; undefined: each start creates a new key. */
  readonly keyFolder: string | undefined;
  /** Custom secrets, as `name=secret;name=secret`. The others are derived from the key. */
  readonly secrets: string | undefined;
}

/** A listener for Azure Cosmos DB for Table, with the address, certificate and time limits of the first. */
export interface CosmosConfig {
  /** 0 means any free port. */
  readonly port: number;
  readonly accounts: readonly Account[];
}

/** The defaults of that listener. SDKs recognize Cosmos DB by `localhost` and this port. Source: cosmos 14. */
export const defaultCosmos: CosmosConfig = { port: 8902, accounts: [cosmosEmulatorAccount] };

/** A PostgreSQL database, which several servers may share. */
export interface DatabaseConfig {
  /** `postgres://user:password@host:port/database`. A secret. */
  readonly url: string;
  readonly schema: string;
  /** Most connections of a server. */
  readonly connections: number;
}

/** Members of a Config that the command line and the library choose differently. */
export type ConfigChoices = Partial<Pick<Config, 'accounts' | 'cosmos' | 'explorer' | 'undo' | 'traces'>>;

/**
 * Returns the settings of a server, without its certificate. `prefix` precedes the name of a setting in messages.
 *
 * Errors: ConfigError for settings that exclude each other.
 */
export function toConfig(values: SettingValues, choices: ConfigChoices = {}, prefix: '' | '--' = ''): Config {
  const names: readonly string[] = converted;
  const others = Object.fromEntries(
    Object.entries(values).filter(([name]) => !names.includes(name)),
  ) as unknown as Omit<SettingValues, (typeof converted)[number]>;
  const { database: url, databaseSchema: schema, databaseConnections: connections, identity: source } = values;
  const { seed, import: importPath, exportOnExit } = values;
  const seeds = typeof seed === 'string' ? [seed] : seed;
  if (seeds.length > 0 && importPath !== undefined) {
    throw new ConfigError(`${prefix}seed and ${prefix}import exclude each other. Resets return to a seed.`);
  }
  if (exportOnExit === true && importPath === undefined) {
    throw new ConfigError(`${prefix}exportOnExit needs a path, or ${prefix}import with one.`);
  }
  const database = url === undefined ? undefined : { url, schema, connections };
  const inMemory = database === undefined && values.inMemoryPersistence;
  // A server in memory, or in a database, must not leave a private key on disk.
  const keyFolder = inMemory || database ? undefined : join(values.location, 'tabularium-identity');
  return {
    ...others,
    host: values.tableHost,
    port: values.tablePort,
    cosmos: undefined,
    inMemory,
    database,
    seeds,
    importPath,
    exportPath: exportOnExit === true ? importPath : exportOnExit === false ? undefined : exportOnExit,
    accounts: [developmentAccount],
    pathFirst: values.disableProductStyleUrl,
    keepAliveMs: values.tableKeepAliveTimeout * 1000,
    headersMs: values.tableHeadersTimeout * 1000,
    bodyMs: values.tableBodyTimeout * 1000,
    coachesAll: false,
    explorer: !values.noExplorer,
    undo: true,
    oauth: values.oauth !== undefined,
    identity:
      source === undefined
        ? undefined
        : { source, keyFile: values.identityKey, keyFolder, secrets: values.identitySecrets },
    tls: undefined,
    traces: false,
    ...choices,
  };
}

/** The default settings, with the host and port of all emulators of the service. */
export const defaultConfig = toConfig(defaultValues);

/** Returns a self-signed certificate for the hosts and accounts of a server, kept in the location or created on each start. */
export function selfSigned({ accounts, host, allowedHosts, location }: Config, isKept: boolean): TlsConfig {
  return {
    kind: 'self-signed',
    folder: isKept ? join(location, 'tabularium-certificate') : undefined,
    accounts: accounts.map(({ name }) => name),
    hosts: certificateHosts(host, allowedHosts),
  };
}
