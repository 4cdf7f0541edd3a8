import { defaultConfig, defaultCosmos, defaultDatabase } from '../../config.js';
import { behaviorOptions } from './behavior-options.js';
import { identityOptions } from './identity-options.js';
import {
  readAdmin,
  readConnections,
  readDatabase,
  readDurability,
  readHosts,
  readJournal,
  readLogForm,
  readPort,
  readSchema,
  readSeconds,
  readSize,
  readSwitch,
  readText,
} from './read-value.js';
import { startDataRows } from './start-data-rows.js';

/** A setting: its flag, its help, its parser and its default. */
export interface OptionRow {
  /** The flag on the command line; undefined for a secret, because other users can read command lines. */
  readonly flags: string | undefined;
  /** The help text. */
  readonly help: string;
  /** Parses the text of a flag, a variable or a file. Errors: ValueFault. */
  readonly read: (text: string) => unknown;
  readonly fallback: unknown;
  /** Azurite's environment variable for the same setting. */
  readonly azuriteVariable?: string;
  /** Whether the flag may be repeated. Its texts are joined as those of a PATH. */
  readonly isRepeatable?: boolean;
  /** Whether the value holds a key, a token or a password. No message shows it, and a command that runs as an identity does not get it. */
  readonly isSecret?: boolean;
}

/**
 * Every setting of the server. A row's name gives the flag, the variable and the key in a file: `--tableHost`,
 * `TABULARIUM_TABLE_HOST`, `"tableHost"`. The help and the tests are derived from this table, too.
 *
 * The names are Azurite's where it has the same option. Source: emulator 5.
 */
const optionTable = {
  tableHost: {
    flags: '--tableHost <address>',
    help: 'address to listen on; 0.0.0.0 for all',
    read: readText,
    fallback: defaultConfig.host,
  },
  tablePort: {
    flags: '--tablePort <port>',
    help: 'port to listen on; 0 for a free one, which is printed',
    read: readPort,
    fallback: defaultConfig.port,
  },
  cosmosPort: {
    flags: '--cosmosPort <port>',
    help: 'also speak as Azure Cosmos DB for Table on this port; 0 for a free one, which is printed',
    read: readPort,
    fallback: undefined,
  },
  cosmos: {
    flags: '--cosmos',
    help: `the same as --cosmosPort ${defaultCosmos.port}`,
    read: readSwitch,
    fallback: false,
  },
  cosmosAccounts: {
    flags: undefined,
    help: 'accounts of Cosmos DB and their keys, as name:key1:key2;name:key1',
    read: readText,
    fallback: undefined,
    isSecret: true,
  },
  allowedHosts: {
    flags: '--allowedHosts <names>',
    help: 'more hosts that browsers may use, as name,*.name; * for any',
    read: readHosts,
    fallback: undefined,
  },
  journal: {
    flags: '--journal <requests>',
    help: 'how many of the last requests are kept in memory, for the command requests; 0 for none',
    read: readJournal,
    fallback: defaultConfig.journal,
  },
  journalBodies: {
    flags: '--journalBodies',
    help: 'keep the first 16 KiB of each body with the request, at most 8 MiB in all',
    read: readSwitch,
    fallback: defaultConfig.journalBodies,
  },
  admin: {
    flags: '--admin <mode>',
    help: 'who may use the control endpoints: loopback, this machine, others with a token; token, all with a token; off',
    read: readAdmin,
    fallback: defaultConfig.admin,
  },
  adminToken: {
    flags: undefined,
    help: 'token for the control endpoints; without it, a server that others reach makes one',
    read: readText,
    fallback: undefined,
    isSecret: true,
  },
  adminReadToken: {
    flags: undefined,
    help: 'token for the control endpoints that may only read',
    read: readText,
    fallback: undefined,
    isSecret: true,
  },
  noExplorer: {
    flags: '--noExplorer',
    help: 'no page for browsers at /_tabularium/',
    read: readSwitch,
    fallback: false,
  },
  ...behaviorOptions,
  tableKeepAliveTimeout: {
    flags: '--tableKeepAliveTimeout <seconds>',
    help: 'seconds until an idle connection is closed; 0 for no limit',
    read: readSeconds,
    fallback: defaultConfig.keepAliveMs / 1000,
  },
  tableHeadersTimeout: {
    flags: '--tableHeadersTimeout <seconds>',
    help: 'seconds to wait for the headers of a request; 0 for no limit',
    read: readSeconds,
    fallback: defaultConfig.headersMs / 1000,
  },
  tableBodyTimeout: {
    flags: '--tableBodyTimeout <seconds>',
    help: 'seconds to wait for more of a body; 0 for no limit',
    read: readSeconds,
    fallback: defaultConfig.bodyMs / 1000,
  },
  location: {
    flags: '-l, --location <folder>',
    help: 'folder in which the data folder is created',
    read: readText,
    fallback: defaultConfig.location,
  },
  inMemoryPersistence: {
    flags: '--inMemoryPersistence',
    help: 'keep everything in memory',
    read: readSwitch,
    fallback: defaultConfig.inMemory,
  },
  ...startDataRows,
  database: {
    flags: '--database <url>',
    help: 'keep the data in PostgreSQL, as postgres://user@host:5432/name; a password only by variable, file or PGPASSWORD',
    read: readDatabase,
    fallback: undefined,
    isSecret: true,
  },
  databaseSchema: {
    flags: '--databaseSchema <name>',
    help: 'schema of the database that holds the tables',
    read: readSchema,
    fallback: defaultDatabase.schema,
  },
  databaseConnections: {
    flags: '--databaseConnections <count>',
    help: 'most connections to the database',
    read: readConnections,
    fallback: defaultDatabase.connections,
  },
  durability: {
    flags: '--durability <level>',
    help: 'when a write is acknowledged: os, the operating system has it; fsync, the disk has it',
    read: readDurability,
    fallback: defaultConfig.durability,
  },
  cacheMb: {
    flags: '--cacheMb <size>',
    help: 'memory for the read cache, in MiB',
    read: readSize,
    fallback: defaultConfig.cacheMb,
  },
  accounts: {
    flags: undefined,
    help: 'accounts and their keys, as name:key1:key2;name:key1',
    read: readText,
    fallback: undefined,
    isSecret: true,
    azuriteVariable: 'AZURITE_ACCOUNTS',
  },
  accountsFile: {
    flags: '--accountsFile <file>',
    help: 'file of accounts, one per line as name:key1:key2; read again when it changes',
    read: readText,
    fallback: undefined,
  },
  cert: {
    flags: '--cert <file>',
    help: 'serve HTTPS with this certificate, PEM or PFX',
    read: readText,
    fallback: undefined,
  },
  key: {
    flags: '--key <file>',
    help: 'private key of a PEM certificate',
    read: readText,
    fallback: undefined,
  },
  pwd: {
    flags: '--pwd <password>',
    help: 'password of a PFX certificate, or of an encrypted key',
    read: (text: string) => text,
    fallback: undefined,
    isSecret: true,
  },
  https: {
    flags: '--https',
    help: 'serve HTTPS with a certificate that the server makes and keeps',
    read: readSwitch,
    fallback: false,
  },
  ...identityOptions,
  log: {
    flags: '--log <form>',
    help: 'format of the log: human or json',
    read: readLogForm,
    fallback: defaultConfig.log,
  },
  silent: {
    flags: '-s, --silent',
    help: 'log nothing',
    read: readSwitch,
    fallback: defaultConfig.silent,
  },
  debug: {
    flags: '-d, --debug <file>',
    help: 'also write a debug log to this file, as JSON',
    read: readText,
    fallback: undefined,
  },
  loose: {
    flags: '-L, --loose',
    help: 'accepted for compatibility; unknown headers and parameters never fail',
    read: readSwitch,
    fallback: false,
  },
  skipApiVersionCheck: {
    flags: '--skipApiVersionCheck',
    help: 'accepted for compatibility; every well-formed version is served',
    read: readSwitch,
    fallback: false,
    azuriteVariable: 'AZURITE_SKIP_API_VERSION_CHECK',
  },
  disableProductStyleUrl: {
    flags: '--disableProductStyleUrl',
    help: 'an account in the path takes precedence over one in the host name',
    read: readSwitch,
    fallback: defaultConfig.pathFirst,
  },
  disableTelemetry: {
    flags: '--disableTelemetry',
    help: 'accepted for compatibility; the server never sends telemetry',
    read: readSwitch,
    fallback: false,
  },
} as const satisfies Record<string, OptionRow>;

/** The name of a setting. */
export type OptionName = keyof typeof optionTable;

/** The names of all settings, in the order of the help. */
export const optionNames = Object.keys(optionTable) as readonly OptionName[];

/** The values of all settings. */
export type Settings = {
  readonly [Name in OptionName]:
    | ReturnType<(typeof optionTable)[Name]['read']>
    | (undefined extends (typeof optionTable)[Name]['fallback'] ? undefined : never);
};

/** Flags of Azurite's blob and queue services. They are accepted with one note that only tables are served. */
export const foreignFlags: readonly string[] = [
  '--blobHost <address>',
  '--blobPort <port>',
  '--blobKeepAliveTimeout <seconds>',
  '--queueHost <address>',
  '--queuePort <port>',
  '--queueKeepAliveTimeout <seconds>',
  '--extentMemoryLimit <size>',
];

/** Returns the row of a setting. */
export function rowOf(name: OptionName): OptionRow {
  return optionTable[name];
}

/** Returns the environment variable of a setting, such as `TABULARIUM_TABLE_HOST`. */
export function variableOf(name: string): string {
  return `TABULARIUM_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
