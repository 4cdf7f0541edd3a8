import { resolve } from 'node:path';
import { type Log, openLog } from '../../log/open-log.js';
import { type RunningServer, startServer } from '../../server.js';
import { isSharedWithGroup, withoutGroup } from '../../store/level/share-with-group.js';
import { boundOldGeneration, boundYoungGeneration } from '../bound-heap.js';
import { describeFailure } from '../describe-failure.js';
import { answerSignals, endSignals } from '../early-signals.js';
import { watchAccountsFile } from '../options/accounts-file.js';
import type { CommandConfig } from '../options/server-options.js';
import { printError, writeTo } from '../output.js';
import { explorerLines, type ProgramName, readyLines, startingLines, stopLines, tokenLines } from './start-lines.js';

/**
 * Time limit for canceling a start: a call to an unresponsive file system may never return, and keeps the process from exiting.
 * Unit: milliseconds.
 */
const hungMs = 2000;

/** Starts a server, prints its URL, and stops it on termination signals. `name` selects the lines to print. */
export async function start(config: CommandConfig, name: ProgramName): Promise<void> {
  // An error of standard output, such as a closed pipe, must not end the server.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  if (!config.silent) print(config.notes);
  print(startingLines(name, config));
  boundOldGeneration();
  boundYoungGeneration();
  const log = openLog(config);
  const { logger } = log;
  const stopping = new AbortController();
  const starting = setUmask(config).then(() => startServer(config, logger, stopping.signal));
  // Handle signals before the server is ready: the first process of a container has no default handler.
  const stop = stopOnSignals(starting, stopping, log, name);
  // Reading also finds the end, and an error means that nobody is there any more.
  if (config.endWithStdin) process.stdin.on('end', stop).on('error', stop).resume();
  const server = await starting.catch((error: unknown) => {
    // Reading would keep the process running.
    if (config.endWithStdin) process.stdin.destroy();
    if (!stopping.signal.aborted) throw error;
    // The signal handler ends the process.
    return new Promise<never>(() => {});
  });
  const { accountsFile } = config;
  if (accountsFile !== undefined) {
    watchAccountsFile(accountsFile, config.accounts, {
      changed(accounts) {
        server.accounts.replace([...accounts, ...(config.cosmos?.accounts ?? [])]);
        logger.info(`the accounts are now those of ${accountsFile}: ${accounts.map((one) => one.name).join(', ')}`);
      },
      failed: (error) => logger.error(`the accounts stay as they were. ${error.message}`),
    });
  }
  const { certificate } = server;
  if (certificate?.notice !== undefined) printError(certificate.notice);
  if (certificate && !config.silent) {
    print([
      `The certificate is ${certificate.file}. To trust it, set NODE_EXTRA_CA_CERTS (Node.js), REQUESTS_CA_BUNDLE (Python) ` +
        'or SSL_CERT_FILE (Go, .NET, curl) to this file, or add it to the trusted roots of your system.',
    ]);
  }
  if (config.ready === 'json') {
    const { readyJson } = await import('./ready-json.js');
    print([readyJson(config, server)]);
    return;
  }
  // Programs wait for the exact lines of Azurite's names.
  if (server.generatedToken !== undefined && !config.silent && name === 'tabularium') {
    print(tokenLines(server.url, server.generatedToken));
  }
  print(readyLines(name, server.url, server.cosmosUrl));
  const isForPeople = !config.silent && config.log === 'human' && name === 'tabularium';
  if (isForPeople && config.explorer && config.admin !== 'off') print(explorerLines(server.url));
}

/**
 * Makes new files writable by the group if the data folder is shared with one. Only commands do this, because the umask applies to the
 * whole process.
 */
async function setUmask({ inMemory, database, location }: CommandConfig): Promise<void> {
  if (!inMemory && !database && (await isSharedWithGroup(resolve(location))))
    process.umask(withoutGroup(process.umask()));
}

/** Returns the function that stops the server and ends the process. */
function stopOnSignals(
  starting: Promise<RunningServer>,
  stopping: AbortController,
  log: Log,
  name: ProgramName,
): () => Promise<void> {
  const lines = stopLines(name);
  const stop = async () => {
    print(lines.closing);
    stopping.abort();
    const hung = setTimeout(killOwnProcess, hungMs);
    try {
      const server = await starting.catch((error: unknown) => {
        if (error !== stopping.signal.reason) throw error;
      });
      clearTimeout(hung);
      await server?.close();
    } catch (error) {
      printError(describeFailure(error));
      return leave(1, log);
    }
    return leave(0, log, lines.closed);
  };
  for (const signal of endSignals()) process.once(signal, stop);
  answerSignals();
  // On Windows, which has no signals, PM2 sends this message. Azurite handles it too.
  if (process.send) process.on('message', (message) => message === 'shutdown' && stop());
  return stop;
}

/** Flushes the log, prints `lines` and exits. If the reader of the log is stuck, its last lines are lost. */
async function leave(code: number, log: Log, lines: readonly string[] = []): Promise<void> {
  await log.end();
  print(lines);
  // `process.exit` would wait for a write that never returns. The data is already closed, so killing is safe.
  if (log.isHeld) process.kill(process.pid, 'SIGKILL');
  process.exit(code);
}

/** Ends the process without waiting for file system calls. Data on disk survives this at any time. */
function killOwnProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

function print(lines: readonly string[]): void {
  for (const line of lines) writeTo(process.stdout, `${line}\n`);
}
