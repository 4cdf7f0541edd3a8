import { pino } from 'pino';
import { type Account, cosmosEmulatorAccount, developmentAccount } from '../../../src/protocol/access/accounts.js';
import { startServer } from '../../../src/server.js';
import { defaultConfig } from '../../../src/settings/config.js';
import { makeServicePlace } from '../store/test-engines.js';

/** A running service for one test file. */
export interface RunningService {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** The beginning of every absolute URL in an answer: `url` and the account. */
  readonly base: string;
  /** The account that requests are signed for. */
  readonly account: Account;
  /** Returns what the server logged at level error since the last call. No request may cause such a line. */
  takeLoggedErrors(): readonly string[];
  close(): Promise<void>;
}

/** Options of a service. */
export interface ServiceOptions {
  /** The folder of the data, for LevelDB. Absent: an empty place on the engine under test. */
  readonly location?: string;
  /** Absent: only the well-known development account. Requests are signed for the first account. */
  readonly accounts?: readonly [Account, ...Account[]];
  /** Tests the listener for Cosmos DB, with its well-known account. Absent: the one for storage accounts. */
  readonly cosmos?: true;
  /** Serves HTTPS with a certificate of its own. */
  readonly https?: true;
  /** Hosts that browsers may use, in addition to those that are always allowed. */
  readonly allowedHosts?: readonly string[];
}

/** Starts a service in this process, on a free port of the loopback address. */
export async function startService({
  location,
  accounts = [developmentAccount],
  allowedHosts = [],
  cosmos,
  https,
}: ServiceOptions = {}): Promise<RunningService> {
  let errors: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => errors.push(line) });
  const place =
    location === undefined ? await makeServicePlace() : { settings: { location }, remove: () => Promise.resolve() };
  const server = await startServer(
    {
      ...defaultConfig,
      port: 0,
      cosmos: cosmos && { port: 0, accounts: [cosmosEmulatorAccount] },
      silent: true,
      accounts,
      allowedHosts,
      ...(https && { tls: { kind: 'self-signed', folder: undefined, accounts: [accounts[0].name] } }),
      ...place.settings,
    },
    logger,
  );
  const addressed =
    server.cosmosUrl === undefined ? storageAddress(server.url, accounts[0]) : cosmosAddress(server.cosmosUrl);
  return {
    ...addressed,
    takeLoggedErrors() {
      const taken = errors;
      errors = [];
      return taken;
    },
    async close() {
      await server.close();
      await place.remove();
    },
  };
}

function storageAddress(url: string, account: Account): Pick<RunningService, 'url' | 'base' | 'account'> {
  return { url, base: `${url}/${account.name}`, account };
}

/** Clients of Cosmos DB name the account in the host, which is the name of this machine. */
function cosmosAddress(url: string): Pick<RunningService, 'url' | 'base' | 'account'> {
  return { url, base: url, account: cosmosEmulatorAccount };
}
