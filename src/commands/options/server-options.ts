import { randomInt } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { Endpoint } from '../../client/connection-strings.js';
import { readServerUrl, urlFlag, urlVariable } from '../../client/server-url.js';
import { asCosmosAccounts, ConfigError, readAccounts, shownValue } from '../../config.js';
import { databaseUrls } from '../../database-url.js';
import type { Account } from '../../protocol/access/accounts.js';
import { notesOf } from '../../schema.js';
import {
  type Config,
  type CosmosConfig,
  defaultConfig,
  defaultCosmos,
  selfSigned,
  toConfig,
} from '../../settings/config.js';
import {
  rowOf,
  type SettingName,
  type SettingValues,
  settingNames,
  variableOf,
  variablesOf,
  wordsOf,
} from '../../settings/settings.js';
import type { TlsConfig } from '../../tls/own-certificate.js';
import { readAccountsFile } from './accounts-file.js';
import { type Flags, isPathList, misspelledVariables, OptionSources, readTraceSettings } from './option-sources.js';

/** The settings of a server and of commands. */
export interface CommandConfig extends Config {
  readonly accountsFile: string | undefined;
  /** The server named by `--url` or its variable; undefined: the one in the settings. */
  readonly server: Endpoint | undefined;
  readonly notes: readonly string[];
  /** The settings that come from flags. */
  readonly flags: readonly SettingName[];
}

/** Flags of Azurite's blob and queue services, which are accepted with a note that only tables are served. */
export const foreignFlags: readonly string[] = [
  '--blobHost <address>',
  '--blobPort <port>',
  '--blobKeepAliveTimeout <seconds>',
  '--queueHost <address>',
  '--queuePort <port>',
  '--queueKeepAliveTimeout <seconds>',
  '--extentMemoryLimit <size>',
];

/** Returns the flags of a setting for help, such as `-l, --location <folder>`; undefined if it has none. */
export function flagsOf(name: SettingName): string | undefined {
  const { is, letter, hasNoFlag } = rowOf(name);
  if (hasNoFlag) return undefined;
  const { value } = notesOf(is);
  const placeholder = value === undefined || value.startsWith('[') ? value : `<${value}>`;
  return `${letter ? `-${letter}, ` : ''}--${name}${placeholder ? ` ${placeholder}` : ''}`;
}

/** The options of a server, shared by all commands because creating them takes as long as reading the settings. */
const serverOptions: readonly Option[] = [
  ...settingNames.flatMap(optionOf),
  new Option('--config <file>', `JSON file of settings, as {"tablePort": 0} (${variableOf('config')})`),
  ...foreignFlags.map((flags) => new Option(flags).hideHelp()),
];

function optionOf(name: SettingName): readonly Option[] {
  const flags = flagsOf(name);
  if (flags === undefined) return [];
  const { fallback } = rowOf(name);
  const shown = fallback === undefined || fallback === false || String(fallback) === '' ? [] : [`default ${fallback}`];
  const option = new Option(flags, `${wordsOf(name)} (${[...variablesOf(name), ...shown].join(', ')})`);
  return [isPathList(name) ? option.argParser((text, texts: readonly string[] = []) => [...texts, text]) : option];
}

/** Adds the options of a server to a command. `readConfig` parses them. */
export function addServerOptions(command: Command): Command {
  for (const option of serverOptions) command.addOption(option);
  return command;
}

/** Adds the options of a server, and `--url` to name a running one. */
export function addAskOptions(command: Command): Command {
  const help = `server to ask, as http://127.0.0.1:10002, host:port or a port (${urlVariable})`;
  return addServerOptions(command).addOption(new Option(`${urlFlag} <server>`, help));
}

/** The help text after the options. */
export const helpNotes = `
There is no flag for account keys, because other users can read command lines. Set accounts with:
  TABULARIUM_ACCOUNTS or AZURITE_ACCOUNTS   ${wordsOf('accounts')}
  --accountsFile                            the same in a file, which may change while the server runs
  TABULARIUM_COSMOS_ACCOUNTS                ${wordsOf('cosmosAccounts')}
  TABULARIUM_IDENTITY_SECRETS               ${wordsOf('identitySecrets')}
These tokens have no flags either:
  TABULARIUM_ADMIN_TOKEN        ${wordsOf('adminToken')}
  TABULARIUM_ADMIN_READ_TOKEN   ${wordsOf('adminReadToken')}

A flag takes precedence over its variable, a variable over the file, the file over the default.
Flags of Azurite's blob and queue services (${foreignFlags.map((flags) => flags.split(' ')[0]).join(', ')})
are accepted and have no effect.`;

/** Reads the settings from a command's options, the environment and the configuration file. Errors: ConfigError. */
export function readConfig(command: Command, environment: NodeJS.ProcessEnv): CommandConfig {
  // Options may come before or after the name of the command.
  const flags: Flags = { ...command.parent?.opts(), ...command.opts() };
  const sources = new OptionSources(flags, environment);
  const { values } = sources;
  const { accounts, accountsFile } = chooseAccounts(sources);
  const { traces, notes: traceNotes } = readTraceSettings(environment);
  const faultSeed = values.faultSeed ?? (values.faults === undefined ? undefined : randomInt(2 ** 32));
  const config = toConfig(
    { ...values, ...choosePlace(sources), faultSeed },
    { accounts, cosmos: chooseCosmos(sources, accounts), traces },
    '--',
  );
  if (config.identity && config.oauth) {
    throw new ConfigError('--identity and --oauth exclude each other: --oauth accepts tokens without verifying them.');
  }
  const tls = chooseTls(sources, config);
  if (config.oauth && !tls) throw new ConfigError('--oauth basic needs HTTPS: add --https, or --cert and --key.');
  return {
    ...config,
    tls,
    accountsFile,
    server: takesUrl(command) ? findServer(flags, environment, sources) : undefined,
    notes: [
      ...foreignNotes(flags),
      ...misspelledVariables(environment),
      ...behaviorNotes(values, faultSeed),
      ...traceNotes,
    ],
    flags: settingNames.filter((name) => sources.kindOf(name) === 'flag'),
  };
}

/** The settings that describe the server for a command. */
const placeOptions = ['tableHost', 'tablePort', 'https', 'cert'] as const;

function takesUrl(command: Command): boolean {
  return command.options.some(({ long }) => long === urlFlag);
}

/**
 * Returns the server named by `--url`, or by its variable if no flag describes a server. Errors: ConfigError if the name is invalid, or
 * if a flag describes a server besides `--url`.
 */
function findServer(flags: Flags, environment: NodeJS.ProcessEnv, sources: OptionSources): Endpoint | undefined {
  const flag = placeOptions.find((name) => sources.kindOf(name) === 'flag');
  const { url } = flags;
  if (url !== undefined) {
    if (flag !== undefined) throw new ConfigError(`${urlFlag} names the server. Leave out --${flag}.`);
    return readServerUrl(String(url), urlFlag);
  }
  const named = environment[urlVariable];
  return named && flag === undefined ? readServerUrl(named, urlVariable) : undefined;
}

/** Returns the listener for Cosmos DB, if it is enabled. Errors: ConfigError for invalid accounts. */
function chooseCosmos(sources: OptionSources, others: readonly Account[]): CosmosConfig | undefined {
  const { cosmos, cosmosPort, cosmosAccounts } = sources.values;
  if (!cosmos && cosmosPort === undefined) return undefined;
  const source = sources.sourceOf('cosmosAccounts');
  const accounts = cosmosAccounts === undefined ? defaultCosmos.accounts : readAccounts(cosmosAccounts, source);
  return { port: cosmosPort ?? defaultCosmos.port, accounts: asCosmosAccounts(accounts, others, source) };
}

/** Warns that requests will fail, with the seed to repeat the run, and that the clock may change. */
function behaviorNotes({ faults, allowTestClock }: SettingValues, seed: number | undefined): readonly string[] {
  return [
    ...(faults === undefined
      ? []
      : [`Requests fail by the rules '${shownValue(faults)}'. To repeat this run, add --faultSeed ${seed}.`]),
    ...(allowTestClock ? ['TEST CLOCK: writes while the clock is ahead keep it ahead in this data permanently.'] : []),
  ];
}

/** Chooses the location of the data. Errors: ConfigError for locations that exclude each other. */
function choosePlace(sources: OptionSources): Pick<SettingValues, 'database' | 'inMemoryPersistence'> {
  const { database, inMemoryPersistence } = sources.values;
  const withoutDatabase = () => ({ database: undefined, inMemoryPersistence: isInMemory(sources) });
  if (database === undefined || sources.takesPrecedence('location', 'database')) return withoutDatabase();
  if (inMemoryPersistence) {
    if (sources.takesPrecedence('inMemoryPersistence', 'database')) return withoutDatabase();
    if (!sources.takesPrecedence('database', 'inMemoryPersistence')) {
      throw new ConfigError(
        `${sources.sourceOf('database')} and ${sources.sourceOf('inMemoryPersistence')} exclude each other.`,
      );
    }
  }
  if (sources.kindOf('database') !== 'flag') return { database, inMemoryPersistence: false };
  if (sources.kindOf('location') === 'flag') throw new ConfigError('--database needs no folder. Leave out --location.');
  if (databaseUrls(database).some(({ password }) => password !== '')) {
    throw new ConfigError(
      `--database must not contain a password, because other users can read command lines. Use ${variableOf('database')}, ` +
        'the key "database" of the file of --config, PGPASSWORD or PGPASSFILE.',
    );
  }
  return { database, inMemoryPersistence: false };
}

/**
 * Whether data is kept in memory. `--inMemoryPersistence` overrides the location variable of a container image.
 * Errors: ConfigError if both are flags, unless the location is for the certificate.
 */
function isInMemory(sources: OptionSources): boolean {
  const { inMemoryPersistence, https, cert } = sources.values;
  if (!inMemoryPersistence || sources.takesPrecedence('location', 'inMemoryPersistence')) return false;
  if (sources.kindOf('location') === 'flag' && (!https || cert !== undefined)) {
    throw new ConfigError(
      '--inMemoryPersistence keeps nothing on disk but the certificate of --https. Leave out --location.',
    );
  }
  return true;
}

function chooseAccounts(sources: OptionSources): Pick<CommandConfig, 'accounts' | 'accountsFile'> {
  const { accounts, accountsFile } = sources.values;
  if (accountsFile !== undefined && !sources.takesPrecedence('accounts', 'accountsFile')) {
    return { accounts: readAccountsFile(accountsFile), accountsFile };
  }
  const read = accounts === undefined ? defaultConfig.accounts : readAccounts(accounts, sources.sourceOf('accounts'));
  return { accounts: read, accountsFile: undefined };
}

/** Returns the certificate of a server; undefined without HTTPS. Errors: ConfigError for settings that need others. */
function chooseTls(sources: OptionSources, config: Config): TlsConfig | undefined {
  const { cert, key, pwd: password, https } = sources.values;
  if (cert !== undefined && key !== undefined) {
    return { kind: 'pem', cert, key, ...(password !== undefined && { password }) };
  }
  if (cert !== undefined && (password !== undefined || /\.(?:pfx|p12)$/i.test(cert))) {
    return { kind: 'pfx', file: cert, password };
  }
  if (cert !== undefined) throw new ConfigError('--cert needs --key for a PEM certificate, or --pwd for a PFX one.');
  if (key !== undefined || password !== undefined) throw new ConfigError('--key and --pwd need --cert.');
  if (!https) return undefined;
  // The private key is stored with the data. For data in memory, only a user who chose a location expects it on disk.
  const isPlaceChosen =
    sources.kindOf('location') !== 'default' && !sources.takesPrecedence('inMemoryPersistence', 'location');
  return selfSigned(config, !config.database && (!config.inMemory || isPlaceChosen));
}

/** Returns one note for all flags of the blob and queue services, or none. */
function foreignNotes(flags: Flags): readonly string[] {
  const names = foreignFlags.map((flag) => (flag.split(' ')[0] ?? '').slice(2));
  const passed = names.filter((name) => flags[name] !== undefined).map((name) => `--${name}`);
  return passed.length === 0
    ? []
    : [`Only tables are served, not blobs or queues. These flags have no effect: ${passed.join(', ')}.`];
}
