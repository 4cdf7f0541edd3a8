import { rm } from 'node:fs/promises';
import { afterEach, beforeEach } from 'vitest';
import { type Account, developmentAccount } from '../../../src/protocol/access/accounts.js';
import { ServiceClient } from '../clients/service-client.js';
import { makeFolder } from './make-folder.js';
import {
  cleanEnvironment,
  type Ending,
  killLeftovers,
  type RunningProgram,
  runProgram,
  serverFile,
} from './run-program.js';
import { countOperations, type OperationCounts, readCounts, signalAfter } from './stop-points.js';

/** How a server is started. */
export interface ChildOptions {
  /** Keeps the data under this folder; absent keeps it in memory. */
  readonly location?: string;
  /** Keeps the data in this schema of a database instead. */
  readonly database?: { readonly url: string; readonly schema: string };
  /** Absent: any free port. */
  readonly port?: number;
  /** The variable AZURITE_ACCOUNTS. */
  readonly accounts?: string;
  /** Further variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Further options. */
  readonly flags?: readonly string[];
  /** The maximum of open files. Absent: the limit of this process. */
  readonly openFilesMax?: number;
  /** The user and the group of the process. Needs the rights of root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Options of Node itself. */
  readonly node?: readonly string[];
  /** A program that runs the server and watches it, with its arguments. */
  readonly tracer?: readonly string[];
}

/** A ready server in its own process. */
export interface ChildServer {
  /** The line that it printed when it was ready. */
  readonly readyLine: string;
  /** Where it listens. */
  readonly url: string;
  /** Returns a client of the development account, or of another account. */
  client(account?: Account): ServiceClient;
  /** Resolves when the process has ended. */
  readonly end: Promise<Ending>;
  /** Sends a signal. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Ending>;
}

/**
 * Options of Node that make the timers of a server run sixty times as long. No time limit of the server then ends what a
 * slow machine takes long to do.
 */
export const longTimers: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    'const real = globalThis.setTimeout;' +
      'globalThis.setTimeout = (call, ms, ...rest) => real(call, Math.min(60 * ms, 2 ** 31 - 1), ...rest);',
  )}`,
];

/** Creates a folder for each test of a file. Kills the programs that still run after a test, and removes its folder. */
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

function launch(options: ChildOptions): RunningProgram {
  const {
    location,
    database,
    port = 0,
    accounts,
    variables,
    flags = [],
    openFilesMax,
    user,
    node = [],
    tracer = [],
  } = options;
  const inFolder = location === undefined ? ['--inMemoryPersistence'] : ['--location', location];
  const place = database ? ['--database', database.url, '--databaseSchema', database.schema] : inFolder;
  const words = [process.execPath, ...node, serverFile, '--silent', '--tablePort', String(port), ...place, ...flags];
  return runProgram([...tracer, ...words], {
    environment: cleanEnvironment({ ...(accounts !== undefined && { AZURITE_ACCOUNTS: accounts }), ...variables }),
    ...(user && { user }),
    ...(openFilesMax !== undefined && { openFilesMax }),
  });
}

/** Starts a server that must not become ready, and waits for its end. Kills it if it becomes ready. */
export function startAndFail(options: ChildOptions): Promise<Ending> {
  const program = launch(options);
  program.until(/./).then(
    () => program.kill('SIGKILL'),
    () => {},
  );
  return program.ended;
}

/** Starts a server, stops it when it is ready, and returns the moments of its start. */
export async function countStart(options: ChildOptions): Promise<OperationCounts> {
  const program = launch({ ...options, node: [...(options.node ?? []), ...countOperations] });
  await program.until(/\n/);
  program.kill('SIGTERM');
  return readCounts((await program.ended).errors);
}

/** Starts a server and kills it after this many asynchronous operations, or when it is ready. */
export async function killWhileStarting(options: ChildOptions, operations: number): Promise<void> {
  const { signal, errors } = await stopWhileStarting(options, operations, 'SIGKILL');
  if (signal !== 'SIGKILL') throw new Error(`the server ended by itself: ${errors}`);
}

/** Starts a server and sends it a signal after this many asynchronous operations, or when it is ready. Returns how it ended. */
export async function stopWhileStarting(
  options: ChildOptions,
  operations: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Ending> {
  const program = launch({ ...options, node: [...(options.node ?? []), ...signalAfter(signal, operations)] });
  program.until(/\n/).then(
    () => program.kill(signal),
    () => {},
  );
  return program.ended;
}

/** Starts a server and stops it after an event. Returns the result of the event, and how the server ends. */
export async function stopOnce<T>(
  options: ChildOptions,
  happens: () => Promise<T>,
): Promise<{ happened: T; end: Promise<Ending> }> {
  const program = launch(options);
  const happened = await happens();
  program.kill('SIGTERM');
  return { happened, end: program.ended };
}

/** Starts a server and waits until it prints that it is ready. */
export async function startChild(options: ChildOptions = {}): Promise<ChildServer> {
  const program = launch(options);
  const [, readyLine = ''] = await program.until(/^(.*)\n/);
  const url = readyLine.slice(readyLine.lastIndexOf(' ') + 1);
  const clients: ServiceClient[] = [];
  return {
    readyLine,
    url,
    end: program.ended,
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
    signal: (signal) => program.kill(signal),
    async stop(signal) {
      program.kill(signal);
      const ending = await program.ended;
      for (const client of clients) client.close();
      return ending;
    },
  };
}
