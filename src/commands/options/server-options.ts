import { randomInt } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { Endpoint } from '../../client/connection-strings.js';
import { readServerUrl, urlFlag, urlVariable } from '../../client/server-url.js';
import {
  asCosmosAccounts,
  type Config,
  ConfigError,
  type CosmosConfig,
  defaultConfig,
  defaultCosmos,
  readAccounts,
  shownValue,
} from '../../config.js';
import { databaseUrls } from '../../database-url.js';
import type { Account } from '../../protocol/access/accounts.js';
import { readAccountsFile } from './accounts-file.js';
import { readConfigFile } from './config-file.js';
import { chooseIdentity } from './identity-options.js';
import { misspelledVariables, ResolvedOptions, variablesOf } from './option-sources.js';
import { foreignFlags, optionNames, rowOf, type Settings, variableOf } from './option-table.js';
import { chooseTls } from './tls-options.js';
import { readTraceWish } from './trace-variables.js';

/** The settings of a server, with those that only commands use. */
export interface CommandConfig extends Config {
  /** The file that the accounts were read from, if any. */
  readonly accountsFile: string | undefined;
  /** The server that a command asks; undefined: the one that the settings describe. Only commands with `--url` have it. */
  readonly server: Endpoint | undefined;
  /** Notes about the options, for the user. */
  readonly notes: readonly string[];
  /** Whether the command line itself has `--tablePort`, `--cosmosPort`, `--location`, `--database` and `--log` (without `--silent`). */
  readonly asked: {
    readonly port: boolean;
    readonly cosmosPort: boolean;
    readonly location: boolean;
    readonly log: boolean;
    readonly database: boolean;
  };
}

/** Adds the options of a server to a command. They are collected as text; `readConfig` reads them. */
export function addServerOptions(command: Command): Command {
  for (const name of optionNames) {
    const { flags, help, fallback, isRepeatable } = rowOf(name);
    const usual = fallback === undefined || fallback === false ? [] : [`default ${fallback}`];
    const notes = [...variablesOf(name), ...usual].join(', ');
    if (flags === undefined) continue;
    const option = new Option(flags, `${help} (${notes})`);
    if (isRepeatable) option.argParser((text, texts: readonly string[] = []) => [...texts, text]);
    command.addOption(option);
  }
  command.addOption(
    new Option('--config <file>', `JSON file of settings, as {"tablePort": 0} (${variableOf('config')})`),
  );
  for (const flags of foreignFlags) command.addOption(new Option(flags).hideHelp());
  return command;
}

/** Adds the options of a command that asks a running server: those that describe a server, and the one that names it. */
export function addAskOptions(command: Command): Command {
  const help = `server to ask, as http://127.0.0.1:10002, host:port or a port (${urlVariable})`;
  return addServerOptions(command).addOption(new Option(`${urlFlag} <server>`, help));
}

/** The text of the help after the options. */
export const helpNotes = `
There is no flag for account keys, because other users can read command lines. Set accounts with:
  TABULARIUM_ACCOUNTS or AZURITE_ACCOUNTS   ${rowOf('accounts').help}
  --accountsFile                            the same in a file, which may change while the server runs
  TABULARIUM_COSMOS_ACCOUNTS                ${rowOf('cosmosAccounts').help}
  TABULARIUM_IDENTITY_SECRETS               ${rowOf('identitySecrets').help}
Nor are there flags for these tokens:
  TABULARIUM_ADMIN_TOKEN        ${rowOf('adminToken').help}
  TABULARIUM_ADMIN_READ_TOKEN   ${rowOf('adminReadToken').help}

A flag takes precedence over its variable, a variable over the file, the file over the default.
Flags of Azurite's blob and queue services (${foreignFlags.map((flags) => flags.split(' ')[0]).join(', ')})
are accepted and have no effect.`;

/** Reads the settings from a command's options, the environment and the configuration file. Errors: ConfigError. */
export function readConfig(command: Command, environment: NodeJS.ProcessEnv): CommandConfig {
  // Options may come before or after the name of the command.
  const flags: Record<string, unknown> = { ...command.parent?.opts(), ...command.opts() };
  const path = flags['config'] ?? environment[variableOf('config')];
  const file = path ? readConfigFile(String(path)) : undefined;
  const options = new ResolvedOptions({ flags, environment, file });
  const { settings } = options;
  const found = findAccounts(options);
  const place = choosePlace(options);
  const { traces, notes: traceNotes } = readTraceWish(environment);
  const faultSeed = settings.faultSeed ?? (settings.faults === undefined ? undefined : randomInt(2 ** 32));
  const server = takesUrl(command) ? findServer(flags, environment, options) : undefined;
  const config = {
    host: settings.tableHost,
    port: settings.tablePort,
    allowedHosts: settings.allowedHosts ?? defaultConfig.allowedHosts,
    pathFirst: settings.disableProductStyleUrl,
    location: settings.location,
    ...place,
    ...chooseStartData(settings),
    silent: settings.silent,
    log: settings.log,
    debug: settings.debug,
    ...found,
    cosmos: chooseCosmos(options, found.accounts),
    faults: settings.faults,
    faultSeed,
    deleteTableMs: settings.deleteTableMs,
    allowTestClock: settings.allowTestClock,
    oauth: settings.oauth === 'basic',
    identity: chooseIdentity(options, place),
    cacheMb: settings.cacheMb,
    durability: settings.durability,
    journal: settings.journal,
    journalBodies: settings.journalBodies,
    coachesAll: defaultConfig.coachesAll,
    explorer: !settings.noExplorer,
    undo: defaultConfig.undo,
    admin: settings.admin,
    adminToken: settings.adminToken,
    adminReadToken: settings.adminReadToken,
    keepAliveMs: settings.tableKeepAliveTimeout * 1000,
    headersMs: settings.tableHeadersTimeout * 1000,
    bodyMs: settings.tableBodyTimeout * 1000,
    server,
    traces,
    notes: [
      ...foreignNotes(flags),
      ...misspelledVariables(environment),
      ...behaviorNotes(settings, faultSeed),
      ...traceNotes,
    ],
    asked: {
      port: options.kindOf('tablePort') === 'flag',
      cosmosPort: options.kindOf('cosmosPort') === 'flag',
      location: options.kindOf('location') === 'flag',
      database: options.kindOf('database') === 'flag',
      log: flags['log'] !== undefined && flags['silent'] === undefined,
    },
  };
  const names = config.accounts.map(({ name }) => name);
  const tls = chooseTls(options, config, names);
  if (config.oauth && !tls) throw new ConfigError('--oauth basic needs HTTPS: add --https, or --cert and --key.');
  return { ...config, tls };
}

/** The settings by which a command describes the server that it asks. */
const placeOptions = ['tableHost', 'tablePort', 'https', 'cert'] as const;

function takesUrl(command: Command): boolean {
  return command.options.some(({ long }) => long === urlFlag);
}

/**
 * Returns the server that `--url` names, or that of the variable if no flag describes a server. Errors: ConfigError for a name
 * that cannot be one, and for a server that is both named and described.
 */
function findServer(
  flags: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv,
  options: ResolvedOptions,
): Endpoint | undefined {
  const flag = placeOptions.find((name) => options.kindOf(name) === 'flag');
  const { url } = flags;
  if (url !== undefined) {
    if (flag !== undefined) throw new ConfigError(`${urlFlag} names the server. Leave out --${flag}.`);
    return readServerUrl(String(url), urlFlag);
  }
  const named = environment[urlVariable];
  return named && flag === undefined ? readServerUrl(named, urlVariable) : undefined;
}

/** Returns the listener for Cosmos DB, if one is asked for. Errors: ConfigError for invalid accounts. */
function chooseCosmos(options: ResolvedOptions, others: readonly Account[]): CosmosConfig | undefined {
  const { cosmos, cosmosPort, cosmosAccounts } = options.settings;
  if (!cosmos && cosmosPort === undefined) return undefined;
  const source = options.sourceOf('cosmosAccounts');
  const accounts = cosmosAccounts === undefined ? defaultCosmos.accounts : readAccounts(cosmosAccounts, source);
  return { port: cosmosPort ?? defaultCosmos.port, accounts: asCosmosAccounts(accounts, others, source) };
}

/** Tells the user that requests will fail and how to repeat it, and that the clock may change. */
function behaviorNotes({ faults, allowTestClock }: Settings, seed: number | undefined): readonly string[] {
  return [
    ...(faults === undefined
      ? []
      : [`Requests fail by the rules '${shownValue(faults)}'. To repeat this run, add --faultSeed ${seed}.`]),
    ...(allowTestClock
      ? ['TEST CLOCK: what is written while the clock is ahead keeps it ahead in this data for good.']
      : []),
  ];
}

/** Returns what is loaded at the start and kept at the end. Errors: ConfigError for settings that exclude each other. */
function chooseStartData({
  seed: seeds = [],
  import: importPath,
  exportOnExit,
}: Settings): Pick<Config, 'seeds' | 'importPath' | 'exportPath'> {
  if (seeds.length > 0 && importPath !== undefined) {
    throw new ConfigError('--seed and --import exclude each other. A seed is what resets go back to.');
  }
  if (exportOnExit === 'true' && importPath === undefined) {
    throw new ConfigError('--exportOnExit needs a path, or --import with one.');
  }
  // A flag without a value reads as true.
  const exportPath = exportOnExit === 'true' ? importPath : exportOnExit === 'false' ? undefined : exportOnExit;
  return { seeds, importPath, exportPath };
}

/** Returns where the data is kept. Errors: ConfigError for places that exclude each other. */
function choosePlace(options: ResolvedOptions): Pick<Config, 'inMemory' | 'database'> {
  const { database: url, databaseSchema: schema, databaseConnections: connections } = options.settings;
  if (url === undefined || options.takesPrecedence('location', 'database')) return withoutDatabase(options);
  if (options.settings.inMemoryPersistence) {
    if (options.takesPrecedence('inMemoryPersistence', 'database')) return withoutDatabase(options);
    if (!options.takesPrecedence('database', 'inMemoryPersistence')) {
      throw new ConfigError(
        `${options.sourceOf('database')} and ${options.sourceOf('inMemoryPersistence')} exclude each other.`,
      );
    }
  }
  if (options.kindOf('database') !== 'flag') return { inMemory: false, database: { url, schema, connections } };
  if (options.kindOf('location') === 'flag') throw new ConfigError('--database needs no folder. Leave out --location.');
  if (databaseUrls(url).some(({ password }) => password !== '')) {
    throw new ConfigError(
      `--database must not contain a password, because other users can read command lines. Use ${variableOf('database')}, ` +
        'the key "database" of the file of --config, PGPASSWORD or PGPASSFILE.',
    );
  }
  return { inMemory: false, database: { url, schema, connections } };
}

function withoutDatabase(options: ResolvedOptions): Pick<Config, 'inMemory' | 'database'> {
  return { inMemory: isInMemory(options), database: undefined };
}

/**
 * Returns whether the data is kept in memory. A container image may set a location by variable, which
 * `--inMemoryPersistence` overrides. Errors: ConfigError if both are flags, unless the location is for the certificate.
 */
function isInMemory(options: ResolvedOptions): boolean {
  const { inMemoryPersistence, https, cert } = options.settings;
  if (!inMemoryPersistence || options.takesPrecedence('location', 'inMemoryPersistence')) return false;
  if (options.kindOf('location') === 'flag' && (!https || cert !== undefined)) {
    throw new ConfigError(
      '--inMemoryPersistence keeps nothing on disk but the certificate of --https. Leave out --location.',
    );
  }
  return true;
}

function findAccounts(options: ResolvedOptions): Pick<CommandConfig, 'accounts' | 'accountsFile'> {
  const { accounts, accountsFile } = options.settings;
  if (accountsFile !== undefined && !options.takesPrecedence('accounts', 'accountsFile')) {
    return { accounts: readAccountsFile(accountsFile), accountsFile };
  }
  const read = accounts === undefined ? defaultConfig.accounts : readAccounts(accounts, options.sourceOf('accounts'));
  return { accounts: read, accountsFile: undefined };
}

/** Returns one note for all flags of the blob and queue services, or none. */
function foreignNotes(flags: Readonly<Record<string, unknown>>): readonly string[] {
  const names = foreignFlags.map((flag) => (flag.split(' ')[0] ?? '').slice(2));
  const passed = names.filter((name) => flags[name] !== undefined).map((name) => `--${name}`);
  return passed.length === 0
    ? []
    : [`Only tables are served, not blobs or queues. These flags have no effect: ${passed.join(', ')}.`];
}
