import { pino } from 'pino';
import { defaultConfig } from '../../src/config.js';
import { type Account, developmentAccount } from '../../src/protocol/accounts.js';
import { startServer } from '../../src/server.js';

/** A service of its own for a test file. */
export interface RunningService {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** What every absolute URL of an answer begins with: `url` and the account. */
  readonly base: string;
  /** The account that requests are signed for. */
  readonly account: Account;
  /** What the server logged at level error since the last call. A lawful request never makes it log one. */
  takeLoggedErrors(): readonly string[];
  close(): Promise<void>;
}

/** What a service may be started with. */
export interface ServiceOptions {
  /** Keeps the data in this folder; absent keeps it in memory. */
  readonly location?: string;
  /** Absent: the well-known development account alone. Requests are signed for the first. */
  readonly accounts?: readonly [Account, ...Account[]];
  /** Hosts that browsers may use beside those that are always allowed. */
  readonly allowedHosts?: readonly string[];
}

/** Starts a service within this process, on a free port of the loopback. */
export async function startService({
  location,
  accounts = [developmentAccount],
  allowedHosts = [],
}: ServiceOptions = {}): Promise<RunningService> {
  let errors: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
  const server = await startServer(
    {
      ...defaultConfig,
      port: 0,
      silent: true,
      accounts,
      allowedHosts,
      ...(location === undefined ? { inMemory: true } : { location }),
    },
    logger,
  );
  const [account] = accounts;
  return {
    url: server.url,
    base: `${server.url}/${account.name}`,
    account,
    takeLoggedErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },
    close: () => server.close(),
  };
}
