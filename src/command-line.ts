import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { type Config, ConfigError, defaultConfig, readAccounts } from './config.js';
import { startServer } from './server.js';
import { StoreError } from './store/format.js';

interface Flags {
  tableHost: string;
  tablePort: number;
  tableKeepAliveTimeout?: number;
  location: string;
  inMemoryPersistence?: boolean;
  silent?: boolean;
  debug?: string;
}

/** Reads the command line, serves until a signal comes, and leaves the exit code to the process. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    const config = readConfig(args, process.env);
    if (config) await serve(config);
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof CommanderError) return;
    process.stderr.write(`${explain(error)}\n`);
  }
}

/** The settings that arguments and environment ask for; undefined when help was all they asked for. */
function readConfig(args: readonly string[], environment: NodeJS.ProcessEnv): Config | undefined {
  const command = new Command('tabularium')
    .description('An Azure Table Storage server for your own machine.')
    .option('--tableHost <address>', 'address to listen on', defaultConfig.host)
    .option('--tablePort <port>', 'port to listen on; 0 takes a free one and prints it', readPort, defaultConfig.port)
    .option('--tableKeepAliveTimeout <seconds>', 'how long an idle connection is kept', readSeconds)
    .option('-l, --location <folder>', 'folder under which the data folder is made', defaultConfig.location)
    .option('--inMemoryPersistence', 'keep everything in memory')
    .option('-s, --silent', 'log nothing')
    .option('-d, --debug <file>', 'write a debug log to this file')
    .option('-L, --loose', 'taken for compatibility; has no effect')
    .option('--skipApiVersionCheck', 'taken for compatibility; any well-formed version is served')
    .allowExcessArguments(false)
    .exitOverride();
  try {
    command.parse([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    throw error;
  }
  const flags = command.opts<Flags>();
  if (flags.inMemoryPersistence && command.getOptionValueSource('location') === 'cli') {
    throw new ConfigError('--inMemoryPersistence keeps nothing on disk; leave out --location.');
  }
  const accounts = environment['AZURITE_ACCOUNTS'];
  return {
    host: flags.tableHost,
    port: flags.tablePort,
    location: flags.location,
    inMemory: flags.inMemoryPersistence ?? false,
    silent: flags.silent ?? false,
    debug: flags.debug,
    accounts: accounts ? readAccounts(accounts) : defaultConfig.accounts,
    oauth: defaultConfig.oauth,
    keepAliveMs: (flags.tableKeepAliveTimeout ?? defaultConfig.keepAliveMs / 1000) * 1000,
  };
}

/** Listens, says so, and ends cleanly on SIGTERM and SIGINT. */
async function serve(config: Config): Promise<void> {
  const server = await startServer(config);
  process.stdout.write(`Tabularium Table service is successfully listening at ${server.url}\n`);
  const stop = () => {
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${explain(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
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

function explain(error: unknown): string {
  if (error instanceof StoreError || error instanceof ConfigError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `${error.message}. Another server uses the port; stop it, or choose another --tablePort.`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
