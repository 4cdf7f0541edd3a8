import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { type Config, ConfigError, defaultConfig, readAccounts } from '../config.js';
import { certificateHosts } from '../http/own-certificate.js';
import type { TlsConfig } from '../http/tls.js';
import { readAccountsFile } from './accounts-file.js';
import { readConfigFile } from './config-file.js';
import { misspelledVariables, ResolvedOptions, variablesOf } from './option-sources.js';
import { foreignFlags, optionNames, rowOf, type Settings, variableOf } from './option-table.js';

/** The settings of a server, and what only commands need to know. */
export interface CommandConfig extends Config {
  /** The file the accounts are from, if they are from one. */
  readonly accountsFile: string | undefined;
  /** What a command that talks to people should tell them about their options. */
  readonly notes: readonly string[];
  /** Whether the command line itself says this much of the place of the server. */
  readonly asked: { readonly port: boolean; readonly location: boolean; readonly log: boolean };
}

/** Adds the options of a server to a command. They are collected as text; `readConfig` reads them. */
export function addServerOptions(command: Command): Command {
  for (const name of optionNames) {
    const { flags, says, fallback } = rowOf(name);
    const usual = fallback === undefined || fallback === false ? [] : [`default ${fallback}`];
    const notes = [...variablesOf(name), ...usual].join(', ');
    if (flags !== undefined) command.addOption(new Option(flags, `${says} (${notes})`));
  }
  command.addOption(
    new Option('--config <file>', `JSON file of settings, as {"tablePort": 0} (${variableOf('config')})`),
  );
  for (const flags of foreignFlags) command.addOption(new Option(flags).hideHelp());
  return command;
}

/** What the help says below the options. */
export const helpNotes = `
Accounts and keys are not said on the command line, which others can read:
  TABULARIUM_ACCOUNTS or AZURITE_ACCOUNTS   ${rowOf('accounts').says}
  --accountsFile                            the same in a file, which may change while the server runs

A flag comes before its variable, a variable before the file, the file before the default.
Flags of Azurite's blob and queue services (${foreignFlags.map((flags) => flags.split(' ')[0]).join(', ')})
are taken and have no effect.`;

/** The settings that a command's options and the environment ask for. Errors: ConfigError. */
export function readConfig(command: Command, environment: NodeJS.ProcessEnv): CommandConfig {
  // Options may stand before or behind the name of a command.
  const flags: Record<string, unknown> = { ...command.parent?.opts(), ...command.opts() };
  const path = flags['config'] ?? environment[variableOf('config')];
  const file = path ? readConfigFile(String(path)) : undefined;
  const options = new ResolvedOptions({ flags, environment, file });
  const { settings } = options;
  const config = {
    host: settings.tableHost,
    port: settings.tablePort,
    allowedHosts: settings.allowedHosts ?? defaultConfig.allowedHosts,
    pathFirst: settings.disableProductStyleUrl,
    location: settings.location,
    inMemory: isInMemory(options),
    silent: settings.silent,
    log: settings.log,
    debug: settings.debug,
    ...findAccounts(options),
    oauth: settings.oauth === 'basic',
    cacheMb: settings.cacheMb,
    durability: settings.durability,
    keepAliveMs: settings.tableKeepAliveTimeout * 1000,
    headersMs: settings.tableHeadersTimeout * 1000,
    bodyMs: settings.tableBodyTimeout * 1000,
    notes: [...foreignNotes(flags), ...misspelledVariables(environment)],
    asked: {
      port: options.kindOf('tablePort') === 'flag',
      location: options.kindOf('location') === 'flag',
      log: flags['log'] !== undefined && flags['silent'] === undefined,
    },
  };
  const names = config.accounts.map(({ name }) => name);
  const tls = readTlsConfig(settings, config, names);
  if (config.oauth && !tls) throw new ConfigError('--oauth basic needs HTTPS: add --https, or --cert and --key.');
  return { ...config, tls };
}

/** A container may come with a location; who then asks for memory gets it, but nobody can mean two flags. */
function isInMemory(options: ResolvedOptions): boolean {
  if (!options.settings.inMemoryPersistence || options.outweighs('location', 'inMemoryPersistence')) return false;
  if (options.kindOf('location') === 'flag') {
    throw new ConfigError('--inMemoryPersistence keeps nothing on disk; leave out --location.');
  }
  return true;
}

function findAccounts(options: ResolvedOptions): Pick<CommandConfig, 'accounts' | 'accountsFile'> {
  const { accounts, accountsFile } = options.settings;
  if (accountsFile !== undefined && !options.outweighs('accounts', 'accountsFile')) {
    return { accounts: readAccountsFile(accountsFile), accountsFile };
  }
  const read = accounts === undefined ? defaultConfig.accounts : readAccounts(accounts, options.sourceOf('accounts'));
  return { accounts: read, accountsFile: undefined };
}

function readTlsConfig(
  { cert, key, pwd, https, location }: Settings,
  { inMemory, host, allowedHosts }: Pick<Config, 'inMemory' | 'host' | 'allowedHosts'>,
  accounts: readonly string[],
) {
  if (cert !== undefined && key !== undefined) {
    return { kind: 'pem', cert, key, ...(pwd !== undefined && { password: pwd }) } satisfies TlsConfig;
  }
  if (cert !== undefined && (pwd !== undefined || /\.(?:pfx|p12)$/i.test(cert))) {
    return { kind: 'pfx', file: cert, password: pwd } satisfies TlsConfig;
  }
  if (cert !== undefined) throw new ConfigError('--cert needs --key for a PEM certificate, or --pwd for a PFX one.');
  if (key !== undefined || pwd !== undefined) throw new ConfigError('--key and --pwd belong to a --cert.');
  if (!https) return undefined;
  // A server that keeps nothing leaves no key in the working folder either.
  const folder = inMemory ? undefined : join(location, 'tabularium-certificate');
  return { kind: 'self-signed', folder, accounts, hosts: certificateHosts(host, allowedHosts) } satisfies TlsConfig;
}

/** One note for everything that would have been another service's. */
function foreignNotes(flags: Readonly<Record<string, unknown>>): readonly string[] {
  const names = foreignFlags.map((flag) => (flag.split(' ')[0] ?? '').slice(2));
  const said = names.filter((name) => flags[name] !== undefined).map((name) => `--${name}`);
  return said.length === 0
    ? []
    : [`Only tables are served, neither blobs nor queues; without effect: ${said.join(', ')}.`];
}
