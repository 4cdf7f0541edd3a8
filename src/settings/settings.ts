import { databaseUrls } from '../database-url.js';
import {
  anyOf,
  checked,
  choice,
  count,
  flag,
  formed,
  list,
  name,
  notesOf,
  openObject,
  type Schema,
  type Shape,
} from '../schema.js';

/** A setting of the server. */
export interface Setting {
  /** The valid values, with a description for the reference and the types of the library. Help shows only its first sentence. */
  readonly is: Schema;
  readonly fallback?: unknown;
  /** The short flag. */
  readonly letter?: string;
  /** Whether it is allowed only in a variable or a file, because other users can read command lines. */
  readonly hasNoFlag?: true;
  /** Azurite's variable for the same setting. */
  readonly azuriteVariable?: string;
  /** The option of the library, if any, with its name and description where they differ. */
  readonly library?: { readonly name?: string; readonly does?: string };
}

const file = (does: string, notes = {}) => name(does, { value: 'file', wanted: 'the path of a file', ...notes });
const path = (does: string) => name(does, { value: 'path', wanted: 'the path of a file or a folder' });
const secret = (does: string, wanted: string) => name(does, { wanted, isSecret: true });
const port = (does: string) => count(does, 0, 65_535, { value: 'port' });
// Node.js timers are limited to 2^31 - 1 milliseconds.
const seconds = (does: string) => count(does, 0, 2_147_483, { value: 'seconds' });

const keyForm = 'accounts and their keys, as name:key1:key2;name:key1';
const noEffect = 'accepted for compatibility with Azurite; no effect';

/**
 * All settings, in the order of help and reference. The name of a row determines its flag, variable and key in a file: `--tablePort`,
 * `TABULARIUM_TABLE_PORT`, `"tablePort"`. Options shared with Azurite have its names. Source: emulator 5.
 */
export const settings = {
  tableHost: {
    is: name(
      'address to listen on; `0.0.0.0` for all. With `127.0.0.1` or `localhost` the server also listens on `::1`, if the machine has it: clients take either for `localhost`',
      { value: 'address', wanted: 'an address or a name of this machine, as 127.0.0.1' },
    ),
    fallback: '127.0.0.1',
    library: { name: 'host' },
  },
  tablePort: {
    is: port('port to listen on; 0 picks a free one and prints it'),
    fallback: 10_002,
    library: { name: 'port', does: 'port to listen on; 0, the default, picks a free one' },
  },
  cosmosPort: { is: port('also speak as Azure Cosmos DB for Table on this port; 0 picks a free one and prints it') },
  cosmos: {
    is: flag('same as `--cosmosPort 8902`, the port by which SDKs recognize Cosmos DB: see [cosmos.md](cosmos.md)'),
    fallback: false,
  },
  cosmosAccounts: { is: secret(`${keyForm}, of Cosmos DB`, keyForm), hasNoFlag: true },
  allowedHosts: {
    is: list(
      'additional hosts that browsers may use, as `name,*.name`; `*` for any',
      formed('host', /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/i, { wanted: 'a name' }),
      { value: 'names', wanted: 'a name without scheme and port, as tables.example.com or *.internal' },
    ),
    fallback: [],
    library: {
      does: 'additional hosts that browsers may use: `tables.example.com`, `*.internal`, or `*` for any host',
    },
  },
  journal: {
    is: count('how many recent requests to keep in memory for the command `requests`; 0 for none', 0, 999_999, {
      value: 'requests',
    }),
    fallback: 4096,
    library: {},
  },
  journalBodies: {
    is: flag(
      'keep the headers and the first 16 KiB of each body, at most 8 MiB in all, without signatures and `Authorization`',
    ),
    fallback: false,
    library: {},
  },
  faults: {
    is: name(
      'inject faults for as long as the server runs: `flaky`, `cloud`, or rules, as `table=Jobs fault=503`: see [faults.md](faults.md)',
      { value: 'rules' },
    ),
    library: {},
  },
  faultSeed: {
    is: count('seed for the faults, to repeat a run; by default one is chosen and printed', 0, 4_294_967_295, {
      value: 'number',
    }),
    library: {},
  },
  deleteTableMs: {
    is: count(
      'milliseconds for which the name of a deleted table is rejected with 409 `TableBeingDeleted`; 40000 or more in Azure',
      0,
      999_999_999,
      { value: 'milliseconds' },
    ),
    fallback: 0,
    library: {},
  },
  allowTestClock: {
    is: flag('allow [clock](clock.md) changes on persistent data; the clock then stays ahead permanently'),
    fallback: false,
  },
  noExplorer: { is: flag('disable the [page for browsers](explorer.md) at `/_tabularium/`'), fallback: false },
  admin: {
    is: choice(
      'who may use the [control endpoints](#control-endpoints): `loopback`, callers on this machine, and others with a token; `token`, only callers with a token; `off`, nobody',
      ['off', 'loopback', 'token'],
      { value: 'mode' },
    ),
    fallback: 'loopback',
    library: {},
  },
  adminToken: {
    is: secret(
      'token for the control endpoints; without it, a server that others reach makes one',
      'a string that cannot be guessed',
    ),
    hasNoFlag: true,
    library: {},
  },
  adminReadToken: {
    is: secret('token for the control endpoints that may only read', 'a string that cannot be guessed'),
    hasNoFlag: true,
    library: {},
  },
  tableKeepAliveTimeout: { is: seconds('seconds until an idle connection is closed; 0 for no limit'), fallback: 120 },
  tableHeadersTimeout: {
    is: seconds('seconds in which a client must send the headers of a request; 0 for no limit'),
    fallback: 30,
  },
  tableBodyTimeout: {
    is: seconds('seconds without progress until an incomplete body is abandoned; 0 for no limit'),
    fallback: 60,
  },
  location: {
    is: name('folder in which the data folder `tabularium-data` is created', {
      value: 'folder',
      wanted: 'the path of a folder',
    }),
    fallback: '.',
    letter: 'l',
    library: {
      does: 'folder in which the data folder is created; without it, the data is in memory and ends with the instance',
    },
  },
  inMemoryPersistence: {
    is: flag('keep all data in memory. Excludes `--location`, except for the certificate of `--https`'),
    fallback: false,
  },
  seed: {
    is: anyOf(
      'file or folder to load into an empty location at each start; resets return to it; repeatable, and separated as in PATH in a variable: see [import-export.md](import-export.md#at-start-and-end)',
      [path('path'), list('paths', path('path'))],
      { value: 'path', wanted: 'the path of a file or a folder, or a list of paths' },
    ),
    fallback: [],
    library: { does: 'files or folders to load at the start, if there is no data yet; resets return to them' },
  },
  import: { is: path('file or folder to import once, into an empty location'), library: {} },
  exportOnExit: {
    is: anyOf(
      'file or folder to export to when the server stops; without a path, or with true, that of the import',
      [path('path'), flag('whether to export')],
      { value: '[path]', wanted: 'the path of a file or a folder, or true for that of the import' },
    ),
    fallback: false,
    library: {},
  },
  database: {
    is: checked(
      'keep the data in PostgreSQL instead of a folder, as `postgres://user@host:5432/name`; a password only by variable, file or PGPASSWORD: see [distributed.md](distributed.md)',
      (url) => databaseUrls(url).length > 0,
      { value: 'url', wanted: 'the URL of a database, as postgres://user@host:5432/name', isSecret: true },
    ),
    library: {
      does: 'database of PostgreSQL that keeps the data, as `postgres://user:password@host:5432/name`; excludes `location`',
    },
  },
  databaseSchema: {
    is: formed('database schema that holds the tables', /^[A-Za-z_][A-Za-z0-9_]{0,62}$/, {
      value: 'name',
      wanted: 'at most 63 letters, digits and underscores',
    }),
    fallback: 'tabularium',
    library: {},
  },
  databaseConnections: {
    // Ten servers use the 100 connections that PostgreSQL allows by default. A server needs one each for tables, writes, lookups and scans.
    is: count(
      'maximum number of connections to the database, at least 4. Health checks use one more, snapshots and branches two more',
      4,
      9999,
      { value: 'count' },
    ),
    fallback: 10,
    library: {},
  },
  durability: {
    is: choice('where an acknowledged write is: `os`, with the operating system; `fsync`, on disk', ['os', 'fsync'], {
      value: 'level',
    }),
    fallback: 'os',
    library: {},
  },
  cacheMb: { is: count('size of the read cache in MiB', 0, 999_999, { value: 'size' }), fallback: 128, library: {} },
  accounts: { is: secret(keyForm, keyForm), hasNoFlag: true, azuriteVariable: 'AZURITE_ACCOUNTS' },
  accountsFile: { is: file('file of accounts, one `name:key1:key2` per line; reloaded when it changes') },
  cert: { is: file('serve HTTPS with this certificate, PEM or PFX') },
  key: { is: file('private key for a PEM certificate') },
  pwd: {
    is: checked('password for a PFX certificate or an encrypted key', () => true, {
      value: 'password',
      wanted: 'a password',
      isSecret: true,
    }),
  },
  https: { is: flag('serve HTTPS with a certificate that the server creates and keeps'), fallback: false },
  identity: {
    is: anyOf(
      'file of identities; tokens are verified and roles enforced; needs HTTPS. See [identity.md](identity.md)',
      [file('path'), openObject('content')],
      {
        value: 'file',
        wanted:
          'the path of a file of identities, or its content, as { identities: { reader: { roles: ["Storage Table Data Reader"] } } }',
      },
    ),
    library: {
      name: 'identities',
      does: 'verify bearer tokens of these identities and enforce their roles: the path of a file of identities, reloaded when it changes, or its content; needs `https` and excludes `oauth`',
    },
  },
  identityKey: {
    is: file(
      'RSA key in PEM that signs identity tokens. By default the server creates one and keeps it in `tabularium-identity` in the location',
    ),
  },
  identitySecrets: {
    is: secret(
      'secrets by which programs get tokens, as name=secret;name=secret; by default they follow from the key',
      'secrets as name=secret;name=secret',
    ),
    hasNoFlag: true,
  },
  oauth: {
    is: choice('`basic` accepts bearer tokens without verifying them; needs HTTPS', ['basic'], { value: 'level' }),
  },
  log: { is: choice('log format: `human` or `json`', ['human', 'json'], { value: 'form' }), fallback: 'human' },
  silent: { is: flag('log nothing'), fallback: false, letter: 's' },
  debug: { is: file('also write a debug log to this file, as JSON'), letter: 'd' },
  ready: {
    is: choice(
      'what to print when the server listens: `line`, for people and programs made for Azurite; `json`, one line of JSON with URL, connection string and token, or with the error that kept it from starting: see [testing.md](testing.md#any-other-language)',
      ['line', 'json'],
      { value: 'form' },
    ),
    fallback: 'line',
  },
  endWithStdin: {
    is: flag(
      'stop when standard input ends, as on SIGTERM. A program that keeps the other end of that pipe leaves no server behind, however it ends',
    ),
    fallback: false,
  },
  disableProductStyleUrl: {
    is: flag('an account in the path always takes precedence over one in the host name'),
    fallback: false,
  },
  loose: { is: flag(noEffect), fallback: false, letter: 'L' },
  skipApiVersionCheck: { is: flag(noEffect), fallback: false, azuriteVariable: 'AZURITE_SKIP_API_VERSION_CHECK' },
  disableTelemetry: { is: flag(noEffect), fallback: false },
} as const satisfies Record<string, Setting>;

/** The name of a setting, as in a configuration file. */
export type SettingName = keyof typeof settings;

/** The values of all settings; undefined for one without a value or default. */
export type SettingValues = {
  readonly [Name in SettingName]:
    | Shape<(typeof settings)[Name]['is']>
    | ((typeof settings)[Name] extends { readonly fallback: unknown } ? never : undefined);
};

/** The names of all settings, in order. */
export const settingNames = Object.keys(settings) as readonly SettingName[];

/** Returns the definition of a setting. */
export function rowOf(name: SettingName): Setting {
  return settings[name];
}

/** Returns the environment variable of a setting, such as `TABULARIUM_TABLE_HOST`. */
export function variableOf(name: string): string {
  return `TABULARIUM_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Returns the environment variables of a setting, in order of precedence. */
export function variablesOf(name: SettingName): readonly string[] {
  const { azuriteVariable } = rowOf(name);
  return azuriteVariable === undefined ? [variableOf(name)] : [variableOf(name), azuriteVariable];
}

/** The default values of all settings. */
export const defaultValues = Object.fromEntries(
  settingNames.map((name) => [name, rowOf(name).fallback]),
) as unknown as SettingValues;

/** Returns the description of a setting for help: the first sentence, without Markdown. */
export function wordsOf(name: SettingName): string {
  const [first = ''] = withoutLinks(notesOf(rowOf(name).is).description ?? '').split('. ');
  return first.replaceAll('`', '');
}

/** Strips links and references to other pages from Markdown. */
export function withoutLinks(text: string): string {
  return text.replace(/(?:[.:] [Ss]ee )\[[^\]]*\]\([^)]*\)/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
