import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';
import { type Account, developmentAccount } from '../../src/protocol/accounts.js';
import { makeFolder } from './open-store-on.js';
import { ServiceClient } from './service-client.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** How a process ended, and what it had said. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** How a server is started beside its port, which is any free one unless said otherwise. */
export interface ChildOptions {
  /** Keeps the data under this folder; absent keeps it in memory. */
  readonly location?: string;
  readonly port?: number;
  /** The variable AZURITE_ACCOUNTS. */
  readonly accounts?: string;
  /** Further options. */
  readonly flags?: readonly string[];
  /** How many files the process may have open; absent leaves the limit as it is. */
  readonly openFilesMax?: number;
  /** The user and the group it runs as; needs the rights of root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Options of Node itself. */
  readonly node?: readonly string[];
}

/** A server in a process of its own, that is ready. */
export interface ChildServer {
  /** The line it said when it was ready. */
  readonly readyLine: string;
  /** Where it listens. */
  readonly url: string;
  /** A client of the development account, or of another. */
  client(account?: Account): ServiceClient;
  /** How it ended, when it did by itself. */
  readonly end: Promise<Ending>;
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Ending>;
}

const running = new Set<ChildProcess>();

/** Kills what a test has left running. */
export function killLeftovers(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Gives each test of a file a folder of its own; afterwards what still runs is killed and the folder removed. */
export function eachInFolder(take: (folder: string) => void): void {
  let folder: string;
  beforeEach(async () => {
    folder = await makeFolder();
    take(folder);
  });
  afterEach(async () => {
    killLeftovers();
    await rm(folder, { recursive: true, force: true });
  });
}

function launch({
  location,
  port = 0,
  accounts,
  flags = [],
  openFilesMax,
  user,
  node = [],
}: ChildOptions): ChildProcess {
  const place = location === undefined ? ['--inMemoryPersistence'] : ['--location', location];
  const { AZURITE_ACCOUNTS: _, ...env } = process.env;
  const words = [process.execPath, ...node, main, '--silent', '--tablePort', String(port), ...place, ...flags];
  const limit = openFilesMax === undefined ? [] : ['sh', '-c', `ulimit -n ${openFilesMax}; exec "$0" "$@"`];
  const [file = '', ...args] = [...limit, ...words];
  const child = spawn(file, args, {
    env: { ...env, ...(accounts !== undefined && { AZURITE_ACCOUNTS: accounts }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  running.add(child);
  return child;
}

function endOf(child: ChildProcess): Promise<Ending> {
  let output = '';
  let errors = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, output, errors });
    });
  });
}

/** Starts a server that is not expected to become ready, and waits for its end. One that does is killed. */
export function startAndFail(options: ChildOptions): Promise<Ending> {
  const child = launch(options);
  child.stdout?.once('data', () => child.kill('SIGKILL'));
  return endOf(child);
}

/** Starts a server and kills it after a while, whether it is ready by then or not. */
export async function killWhileStarting(options: ChildOptions, afterMs: number): Promise<void> {
  const child = launch(options);
  const end = endOf(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const { signal, errors } = await end;
  clearTimeout(timer);
  if (signal !== 'SIGKILL') throw new Error(`the server ended by itself: ${errors}`);
}

/** Starts a server and sends it a signal after a while, whether it is ready by then or not. Returns how it ended. */
export async function stopWhileStarting(
  options: ChildOptions,
  afterMs: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Ending> {
  const child = launch(options);
  const end = endOf(child);
  const timer = setTimeout(() => child.kill(signal), afterMs);
  const ending = await end;
  clearTimeout(timer);
  return ending;
}

/** Starts a server and tells it to end once something has happened. Returns what happened and how the server ends. */
export async function stopOnce<T>(
  options: ChildOptions,
  happens: () => Promise<T>,
): Promise<{ happened: T; end: Promise<Ending> }> {
  const child = launch(options);
  const end = endOf(child);
  const happened = await happens();
  child.kill('SIGTERM');
  return { happened, end };
}

/** Starts a server and waits until it says that it is ready. */
export async function startChild(options: ChildOptions = {}): Promise<ChildServer> {
  const child = launch(options);
  const end = endOf(child);
  const readyLine = await Promise.race([
    firstLine(child),
    end.then((ending) => {
      throw new Error(`the server ended before it was ready: ${JSON.stringify(ending)}`);
    }),
  ]);
  const url = readyLine.slice(readyLine.lastIndexOf(' ') + 1);
  const clients: ServiceClient[] = [];
  return {
    readyLine,
    url,
    end,
    client(account = developmentAccount) {
      const service = {
        url,
        base: `${url}/${account.name}`,
        account,
        takeLoggedErrors: () => [],
        close: async () => {},
      };
      const client = new ServiceClient(() => service);
      clients.push(client);
      return client;
    },
    async stop(signal) {
      child.kill(signal);
      const ending = await end;
      for (const client of clients) client.close();
      return ending;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('its output is a pipe');
  for await (const line of createInterface({ input: child.stdout })) return line;
  return new Promise(() => {});
}
