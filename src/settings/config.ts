import { join } from 'node:path';
import { ConfigError } from '../config.js';
import { type Account, cosmosEmulatorAccount, developmentAccount } from '../protocol/access/accounts.js';
import type { TlsConfig } from '../tls/own-certificate.js';
import { certificateHosts } from '../tls/own-certificate.js';
import { defaultValues, type SettingName, type SettingValues } from './settings.js';

/** Settings that `toConfig` converts or leaves out; a server takes all others as they are. */
const converted = [
  ...(['tableHost', 'tablePort', 'disableProductStyleUrl', 'noExplorer', 'inMemoryPersistence'] as const),
  ...(['tableKeepAliveTimeout', 'tableHeadersTimeout', 'tableBodyTimeout'] as const),
  ...(['cosmos', 'cosmosPort', 'cosmosAccounts', 'accounts', 'accountsFile'] as const),
  ...(['database', 'databaseSchema', 'databaseConnections', 'seed', 'import', 'exportOnExit'] as const),
  ...(['cert', 'key', 'pwd', 'https', 'identity', 'identityKey', 'identitySecrets', 'oauth'] as const),
  ...(['loose', 'skipApiVersionCheck', 'disableTelemetry'] as const),
] satisfies readonly SettingName[];

/**
 * The settings of a server, from the command line or the library. They are valid: the modules that use them do not check again.
 */
export interface Config extends Omit<SettingValues, (typeof converted)[number]> {
  readonly host: string;
  /** The port to listen on; 0 means any free port. */
  readonly port: number;
  /** The second listener, which speaks as Azure Cosmos DB for Table; undefined for none. */
  readonly cosmos: CosmosConfig | undefined;
  readonly inMemory: boolean;
  /** The database that keeps the data instead of a folder; undefined for none. */
  readonly database: DatabaseConfig | undefined;
  /** Files and folders that are loaded at the start into an empty location. Resets go back to them. */
  readonly seeds: readonly string[];
  /** A file or folder that is imported at the start into an empty location. */
  readonly importPath: string | undefined;
  /** The file or folder that the data is exported to when the server stops. */
  readonly exportPath: string | undefined;
  readonly accounts: readonly Account[];
  /** Whether an account in the path always takes precedence over one in the host name: `--disableProductStyleUrl`. */
  readonly pathFirst: boolean;
  /** Time after which an idle connection is closed; 0 for no limit. */
  readonly keepAliveMs: number;
  /** Time in which a client must send the headers of a request; 0 for no limit. */
  readonly headersMs: number;
  /** Longest pause between two parts of a request body; 0 for no limit. */
  readonly bodyMs: number;
  /** Whether the coach sees every request, also when there are many. It then costs each of them more. */
  readonly coachesAll: boolean;
  /** Whether the server has a page for browsers at `/_tabularium/`. */
  readonly explorer: boolean;
  /** Whether removed data is kept for a while, so that resets and restores can be undone. */
  readonly undo: boolean;
  /** Whether bearer tokens are accepted without verification. They need HTTPS. */
  readonly oauth: boolean;
  /** The identities whose tokens are verified, with their roles; undefined for none. They need HTTPS. */
  readonly identity: IdentityConfig | undefined;
  /** The certificate for HTTPS; undefined for HTTP. */
  readonly tls: TlsConfig | undefined;
  /** Whether a span of each request is sent to a collector, which the variables of OpenTelemetry name. */
  readonly traces: boolean;
}

/** The identities whose tokens a server verifies. */
export interface IdentityConfig {
  /** The path of the file of identities, which is followed, or its content. */
  readonly source: string | object;
  /** The file of the RSA key that tokens are signed with; undefined: the server has one of its own. */
  readonly keyFile: string | undefined;
  /** The folder of the server's own key; undefined: each start makes another key. */
  readonly keyFolder: string | undefined;
  /** The secrets that users chose, as `name=secret;name=secret`. The others follow from the key. */
  readonly secrets: string | undefined;
}

/** A listener that speaks as Azure Cosmos DB for Table. It has the address, the certificate and the time limits of the first. */
export interface CosmosConfig {
  /** The port to listen on; 0 means any free port. */
  readonly port: number;
  readonly accounts: readonly Account[];
}

/** The defaults of that listener: SDKs tell Cosmos DB from storage by `localhost` and this port. Source: cosmos 14. */
export const defaultCosmos: CosmosConfig = { port: 8902, accounts: [cosmosEmulatorAccount] };

/** A database of PostgreSQL, which several servers may share. */
export interface DatabaseConfig {
  /** `postgres://user:password@host:port/database`. A secret. */
  readonly url: string;
  /** The schema that holds the tables. */
  readonly schema: string;
  /** How many connections a server may open. */
  readonly connections: number;
}

/** Members of a Config that the command line and the library choose each in its own way. */
export type ConfigChoices = Partial<Pick<Config, 'accounts' | 'cosmos' | 'explorer' | 'undo' | 'traces'>>;

/**
 * Returns the settings of a server, without its certificate. `prefix` stands before the name of a setting in messages.
 *
 * Errors: ConfigError for settings that exclude each other.
 */
export function toConfig(values: SettingValues, choices: ConfigChoices = {}, prefix: '' | '--' = ''): Config {
  const names: readonly string[] = converted;
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))) as unknown as Omit<
    SettingValues,
    (typeof converted)[number]
  >;
  const { database: url, databaseSchema: schema, databaseConnections: connections, identity: source } = values;
  const { seed, import: importPath, exportOnExit } = values;
  const seeds = typeof seed === 'string' ? [seed] : seed;
  if (seeds.length > 0 && importPath !== undefined) {
    throw new ConfigError(`${prefix}seed and ${prefix}import exclude each other. A seed is what resets go back to.`);
  }
  if (exportOnExit === true && importPath === undefined) {
    throw new ConfigError(`${prefix}exportOnExit needs a path, or ${prefix}import with one.`);
  }
  const database = url === undefined ? undefined : { url, schema, connections };
  const inMemory = database === undefined && values.inMemoryPersistence;
  // A server in memory, or in a database, must not leave a private key on disk.
  const keyFolder = inMemory || database ? undefined : join(values.location, 'tabularium-identity');
  return {
    ...kept,
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

/** The default settings. Host and port are those that all emulators of the service use. */
export const defaultConfig = toConfig(defaultValues);

/** Returns the certificate that a server makes itself, for its hosts and accounts. It is kept in the location, or made for each run. */
export function selfSigned({ accounts, host, allowedHosts, location }: Config, isKept: boolean): TlsConfig {
  return {
    kind: 'self-signed',
    folder: isKept ? join(location, 'tabularium-certificate') : undefined,
    accounts: accounts.map(({ name }) => name),
    hosts: certificateHosts(host, allowedHosts),
  };
}
