import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Config, ConfigError, defaultConfig, readAccounts } from '../config.js';
import type { TlsConfig } from '../http/tls.js';

interface Flags {
  tableHost: string;
  tablePort: number;
  tableKeepAliveTimeout?: number;
  location: string;
  inMemoryPersistence?: boolean;
  silent?: boolean;
  debug?: string;
  cert?: string;
  key?: string;
  pwd?: string;
  https?: boolean;
  oauth?: string;
  cacheMb: number;
  durability: Config['durability'];
}

/** Adds the options of a server to a command. */
export function addServerOptions(command: Command): Command {
  return command
    .option('--tableHost <address>', 'address to listen on', defaultConfig.host)
    .option('--tablePort <port>', 'port to listen on; 0 takes a free one and prints it', readPort, defaultConfig.port)
    .option('--tableKeepAliveTimeout <seconds>', 'how long an idle connection is kept', readSeconds)
    .option('-l, --location <folder>', 'folder under which the data folder is made', defaultConfig.location)
    .option('--inMemoryPersistence', 'keep everything in memory')
    .option('-s, --silent', 'log nothing')
    .option('-d, --debug <file>', 'write a debug log to this file')
    .option('--cacheMb <size>', 'memory for entities that were read', readSize, defaultConfig.cacheMb)
    .addOption(
      new Option('--durability <level>', 'what an acknowledged write has reached: the operating system, or the disk')
        .choices(['os', 'fsync'])
        .default(defaultConfig.durability),
    )
    .option('--cert <file>', 'serve HTTPS with this certificate, PEM or PFX')
    .option('--key <file>', 'private key of a PEM certificate')
    .option('--pwd <password>', 'password of a PFX certificate')
    .option('--https', 'serve HTTPS with a certificate that is made and kept here')
    .option('--oauth <level>', 'take bearer tokens; the only level is basic, and it needs HTTPS')
    .option('-L, --loose', 'taken for compatibility; has no effect')
    .option('--skipApiVersionCheck', 'taken for compatibility; any well-formed version is served');
}

/** The settings that a command's options and the environment ask for. Errors: ConfigError. */
export function readConfig(command: Command, environment: NodeJS.ProcessEnv): Config {
  const flags = command.opts<Flags>();
  if (flags.inMemoryPersistence && command.getOptionValueSource('location') === 'cli') {
    throw new ConfigError('--inMemoryPersistence keeps nothing on disk; leave out --location.');
  }
  const accounts = environment['AZURITE_ACCOUNTS'];
  const config = {
    host: flags.tableHost,
    port: flags.tablePort,
    location: flags.location,
    inMemory: flags.inMemoryPersistence ?? false,
    silent: flags.silent ?? false,
    debug: flags.debug,
    accounts: accounts ? readAccounts(accounts) : defaultConfig.accounts,
    oauth: readOauth(flags.oauth),
    cacheMb: flags.cacheMb,
    durability: flags.durability,
    keepAliveMs: (flags.tableKeepAliveTimeout ?? defaultConfig.keepAliveMs / 1000) * 1000,
  };
  const tls = readTlsConfig(
    flags,
    config.accounts.map(({ name }) => name),
  );
  if (config.oauth && !tls) throw new ConfigError('--oauth basic needs HTTPS: add --https, or --cert and --key.');
  return { ...config, tls };
}

function readTlsConfig(flags: Flags, accounts: readonly string[]): TlsConfig | undefined {
  const { cert, key, pwd } = flags;
  if (cert !== undefined && key !== undefined) return { kind: 'pem', cert, key };
  if (cert !== undefined && (pwd !== undefined || /\.(?:pfx|p12)$/i.test(cert))) {
    return { kind: 'pfx', file: cert, password: pwd };
  }
  if (cert !== undefined) throw new ConfigError('--cert needs --key for a PEM certificate, or --pwd for a PFX one.');
  if (key !== undefined || pwd !== undefined) throw new ConfigError('--key and --pwd belong to a --cert.');
  if (!flags.https) return undefined;
  return { kind: 'self-signed', folder: join(flags.location, 'tabularium-certificate'), accounts };
}

function readOauth(level: string | undefined): boolean {
  if (level !== undefined && level !== 'basic')
    throw new ConfigError(`--oauth ${level} does not exist; say --oauth basic.`);
  return level === 'basic';
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

function readSeconds(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('A time is a whole number of seconds.');
  return Number(text);
}

function readSize(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('A size is a whole number of MiB.');
  return Number(text);
}
