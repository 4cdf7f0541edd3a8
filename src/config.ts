import { type Account, cosmosEmulatorAccount, developmentAccount } from './protocol/access/accounts.js';
import type { TlsConfig } from './tls/own-certificate.js';

/**
 * The settings of a server. The options of the command line (`src/commands`) and of the library (`src/library`) are
 * checked and become one of these; the modules that use it do not check again.
 */
export interface Config {
  readonly host: string;
  /** The port to listen on; 0 means any free port. */
  readonly port: number;
  /** The second listener, which speaks as Azure Cosmos DB for Table; undefined for none. */
  readonly cosmos: CosmosConfig | undefined;
  /** The folder that contains the data folder. A relative path starts at the working folder. */
  readonly location: string;
  readonly inMemory: boolean;
  /** The database that keeps the data instead of a folder; undefined for none. */
  readonly database: DatabaseConfig | undefined;
  /** Files and folders that are loaded at the start into an empty location. Resets go back to them. */
  readonly seeds: readonly string[];
  /** A file or folder that is imported at the start into an empty location. */
  readonly importPath: string | undefined;
  /** The file or folder that the data is exported to when the server stops. */
  readonly exportPath: string | undefined;
  readonly silent: boolean;
  /** The format of log lines: text for people, or JSON. */
  readonly log: 'human' | 'json';
  /** The file of the debug log, which is JSON. It is written in addition to the normal log. */
  readonly debug: string | undefined;
  readonly accounts: readonly Account[];
  /** Hosts that browsers may use, in addition to those that are always allowed: names, `*.` and a name, or `*`. */
  readonly allowedHosts: readonly string[];
  /** Whether an account in the path always takes precedence over one in the host name: `--disableProductStyleUrl`. */
  readonly pathFirst: boolean;
  /** Time after which an idle connection is closed; 0 for no limit. */
  readonly keepAliveMs: number;
  /** Time in which a client must send the headers of a request; 0 for no limit. */
  readonly headersMs: number;
  /** Longest pause between two parts of a request body; 0 for no limit. */
  readonly bodyMs: number;
  /** How many requests the journal keeps; 0 for no journal. */
  readonly journal: number;
  /** Whether the journal keeps the beginnings of bodies. */
  readonly journalBodies: boolean;
  /** Whether the coach sees every request, also when there are many. It then costs each of them more. */
  readonly coachesAll: boolean;
  /** Who may use the control endpoints: callers of this machine, holders of the token, or none. */
  readonly admin: 'off' | 'loopback' | 'token';
  /** The token for callers of other machines; undefined: the server makes one if it listens to them. */
  readonly adminToken: string | undefined;
  /** A token that may only read. */
  readonly adminReadToken: string | undefined;
  /** Whether the server has a page for browsers at `/_tabularium/`. */
  readonly explorer: boolean;
  /** Whether what resets and restores remove is kept for a while, so that it can be undone. */
  readonly undo: boolean;
  /** Fault rules in words, or profiles, that hold as long as the server runs; undefined for none. */
  readonly faults: string | undefined;
  /** Decides which requests those rules act on; undefined: any. */
  readonly faultSeed: number | undefined;
  /** How long the name of a deleted table is refused. The cloud takes 40 seconds or more. Unit: milliseconds. */
  readonly deleteTableMs: number;
  /** Whether tests may change the clock although the data outlives the server. */
  readonly allowTestClock: boolean;
  /** Whether bearer tokens are accepted. They need HTTPS. */
  readonly oauth: boolean;
  /** The identities whose tokens are verified, with their roles; undefined for none. They need HTTPS. */
  readonly identity: IdentityConfig | undefined;
  /** The size of the read cache. Unit: MiB. */
  readonly cacheMb: number;
  /** Where an acknowledged write is stored: in the buffers of the operating system, or on disk. */
  readonly durability: 'os' | 'fsync';
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

/** The defaults of a database. Ten servers then need the 100 connections that PostgreSQL allows by default. */
export const defaultDatabase = { schema: 'tabularium', connections: 10 } as const;

/** The fewest connections that a server works with: one for tables, and one each to write, look up and scan. */
export const databaseConnectionsMin = 4;

/** The default settings. Host and port are those that all emulators of the service use. */
export const defaultConfig: Config = {
  host: '127.0.0.1',
  port: 10002,
  cosmos: undefined,
  location: '.',
  inMemory: false,
  database: undefined,
  seeds: [],
  importPath: undefined,
  exportPath: undefined,
  silent: false,
  log: 'human',
  debug: undefined,
  accounts: [developmentAccount],
  allowedHosts: [],
  pathFirst: false,
  keepAliveMs: 120_000,
  headersMs: 30_000,
  bodyMs: 60_000,
  journal: 4096,
  journalBodies: false,
  coachesAll: false,
  admin: 'loopback',
  adminToken: undefined,
  adminReadToken: undefined,
  explorer: true,
  undo: true,
  faults: undefined,
  faultSeed: undefined,
  deleteTableMs: 0,
  allowTestClock: false,
  oauth: false,
  identity: undefined,
  cacheMb: 128,
  durability: 'os',
  tls: undefined,
  traces: false,
};

/** An invalid setting. The message names it and describes valid values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Longest part of an invalid value that a message shows. Unit: UTF-16 code units. */
const shownMax = 60;

/** Returns an invalid value as error messages show it: on one line, and shortened if it is long. */
export function shownValue(text: string): string {
  return escapeText(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}

/** Escapes line breaks and control characters, which could be terminal commands or reverse a line. */
export function escapeText(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    const code = character.charCodeAt(0);
    return character === '\n'
      ? '\\n'
      : code < 256
        ? `\\x${code.toString(16).padStart(2, '0')}`
        : `\\u${code.toString(16)}`;
  });
}

/**
 * Parses accounts as `name:key1:key2;…`, each with one or two base64 keys. `source` is the name of the text in error
 * messages.
 *
 * Errors: ConfigError with the name of the invalid account. Source: emulator 4.
 */
export function readAccounts(text: string, source = 'AZURITE_ACCOUNTS'): readonly Account[] {
  const accounts = text
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => entry.split(':').map((part) => part.trim()))
    .map(([name = '', ...keys]) => ({ name, keys }));
  return checkAccounts(accounts, source);
}

/**
 * Returns accounts as those of Cosmos DB. `others` are those of storage. Errors: ConfigError with `source` and the name of an
 * account that is among them.
 */
export function asCosmosAccounts(
  accounts: readonly Account[],
  others: readonly Account[],
  source: string,
): readonly Account[] {
  const both = accounts.find(({ name }) => others.some((one) => one.name === name));
  if (both)
    throw new ConfigError(`${source}: the account ${both.name} is a storage account, too. Choose another name.`);
  return accounts.map((account) => ({ ...account, dialect: 'cosmos' }));
}

/** Checks accounts and returns them. Errors: ConfigError with `source` and the name of the invalid account. */
export function checkAccounts(accounts: readonly Account[], source: string): readonly Account[] {
  if (accounts.length === 0) throw new ConfigError(`${source} names no account.`);
  for (const account of accounts) checkAccount(account, source);
  const names = accounts.map(({ name }) => name);
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  if (duplicate !== undefined) throw new ConfigError(`${source} names the account ${duplicate} twice.`);
  return accounts;
}

function checkAccount({ name, keys }: Account, source: string): void {
  if (!/^[a-z0-9][a-z0-9-]*$/i.test(name)) {
    throw new ConfigError(
      `${source}: '${shownValue(name)}' cannot be the name of an account. Use letters, digits and dashes.`,
    );
  }
  if (name.endsWith('-secondary')) {
    throw new ConfigError(`${source}: '${name}' ends like a secondary endpoint. Choose another name.`);
  }
  if (keys.length < 1 || keys.length > 2) {
    throw new ConfigError(`${source}: the account ${name} needs one or two keys, as in ${name}:key1:key2.`);
  }
  for (const key of keys) {
    if (key === '' || key.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(key)) {
      throw new ConfigError(`${source}: a key of the account ${name} is not base64.`);
    }
  }
}

/** Returns whether a text is a valid pattern for `--allowedHosts`: a name, `*.` and a name, or `*`. */
export function isHostPattern(text: string): boolean {
  return /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/i.test(text);
}

/** Returns whether a schema can have this name. */
export function isSchemaName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(text);
}
