import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ConfigError } from '../config.js';
import { certificateFiles } from '../http/tls.js';
import { startServer } from '../server.js';
import { connectionString, tableEndpoint } from './connection-strings.js';
import { answerSignals } from './early-signals.js';
import type { CommandConfig } from './server-options.js';

/**
 * Runs a command beside a server of its own, which is in memory and on a free port unless flags say otherwise, and
 * logs nothing unless `--log` asks for it. Returns the exit code of the command, 128 and more where a signal ended it.
 *
 * Errors: ConfigError where the command cannot be run.
 */
export async function exec(config: CommandConfig, command: readonly string[]): Promise<number> {
  const { asked } = config;
  const server = await startServer({
    ...config,
    port: asked.port ? config.port : 0,
    inMemory: config.inMemory || !asked.location,
    silent: !asked.log,
  });
  try {
    return await run(command, { ...process.env, ...variablesFor(config, server.url) });
  } finally {
    await server.close();
  }
}

/** The variables by which the command finds the server. */
function variablesFor({ host, accounts, tls }: CommandConfig, url: string): Record<string, string> {
  const [account] = accounts;
  if (!account) throw new ConfigError('There is no account.');
  const port = Number(/\d+$/.exec(url)?.[0]);
  const endpoint = { scheme: tls ? 'https' : 'http', host, port } as const;
  const text = connectionString(endpoint, account);
  const address = tableEndpoint(endpoint, account.name);
  return {
    AZURE_STORAGE_CONNECTION_STRING: text,
    TABULARIUM_CONNECTION_STRING: text,
    AZURE_TABLES_ENDPOINT: address,
    TABULARIUM_ENDPOINT: address,
    ...(tls?.kind === 'self-signed' && { NODE_EXTRA_CA_CERTS: certificateFiles(tls.folder).cert }),
  };
}

function run([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // Commands of Node's packages are scripts on Windows, which only its shell runs.
  const child = spawn(file, args, { env, stdio: 'inherit', shell: process.platform === 'win32' });
  const forward = (signal: NodeJS.Signals) => {
    // At a terminal, Ctrl+C reaches the command by itself; twice would be an order to give up at once.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, forward);
  answerSignals();
  return new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(new ConfigError(`The command ${file} cannot be run: ${error.message}.`)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  }).finally(() => {
    for (const signal of signals) process.off(signal, forward);
  });
}
