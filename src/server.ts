import { resolve } from 'node:path';
import { Accounts } from './auth/accounts.js';
import { createClock } from './clock/clock.js';
import { TestClock } from './clock/test-clock.js';
import { ConfigError } from './config.js';
import { openAdminAccess } from './control/admin-access.js';
import { createControl } from './control/create-control.js';
import { RequestMetrics } from './control/metrics/request-metrics.js';
import type { CallVerb } from './control/verbs/call-verb.js';
import type { Dialect } from './dialects/dialect.js';
import { loadDialects } from './dialects/load-dialects.js';
import { openFaults } from './faults/open-faults.js';
import type { Identities } from './identity/identities.js';
import type { OpenIdentities } from './identity/open-identities.js';
import type { Journal } from './insight/journal/journal.js';
import { ServerEvents } from './insight/live/server-events.js';
import { openJournal } from './insight/open-journal.js';
import { requestLog } from './log/log-request.js';
import type { Logger } from './log/logger.js';
import { openLog } from './log/open-log.js';
import type { Account, DialectName } from './protocol/access/accounts.js';
import { cosmosRoot, portOf } from './protocol/access/connection-string.js';
import { AllowedHosts } from './service/allowed-hosts.js';
import { createService, createSharedParts } from './service/service.js';
import type { Config, IdentityConfig } from './settings/config.js';
import { State } from './state/state.js';
import { openStore, type StorePlace } from './store/open-store.js';
import { type OwnCertificate, prepareTls } from './tls/own-certificate.js';
import { forgetInterruptedLoad, interrupted } from './transfer/interrupted-load.js';
import type { Transfer } from './transfer/transfer.js';
import { type Listener, listen } from './wire/create-app.js';

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, without a trailing slash. */
  readonly url: string;
  /** Scheme, host and port of the listener for Cosmos DB, in the form for its clients; undefined without one. */
  readonly cosmosUrl: string | undefined;
  /** The server's own self-signed certificate, if any. */
  readonly certificate: Pick<OwnCertificate, 'cert' | 'file' | 'notice'> | undefined;
  /** The identities whose tokens the server verifies, if any. */
  readonly identities: Identities | undefined;
  /** The token of the control endpoints, if the server generated it. */
  readonly generatedToken: string | undefined;
  /** Undefined with `--journal 0`. */
  readonly journal: Journal | undefined;
  readonly callVerb: CallVerb;
  /** Loads the module for imports and exports on demand. */
  readonly openTransfer: () => Promise<Transfer>;
  /** The accounts, which may change while the server runs. */
  readonly accounts: Accounts;
  /** Drains requests in flight, writes pending changes and closes the data. */
  close(): Promise<void>;
}

/**
 * Opens the data, creates the service and listens. Aborting `signal` cancels opening and loading the data.
 *
 * Errors: StoreError if the data cannot be opened; a system error if the port is in use; the reason of the signal.
 */
export async function startServer(
  config: Config,
  logger: Logger = openLog(config).logger,
  signal?: AbortSignal,
): Promise<RunningServer> {
  const stations = new Stations();
  try {
    const data = await openData(stations, { config, logger, signal });
    const watch = await openWatch(stations, data);
    const control = await openControl(data, watch);
    const startData = await loadStartData(data);
    await openListeners(stations, data, watch, control);
    // Only now, because a failed start must not export anything.
    if (startData) data.atEnd.save = () => startData.save();
    // The rest closes in reverse: listeners drain, then traces, identities, certificate, state, export and store.
    stations.closeWith(() => {
      control.running.isStopping = true;
      watch.journal?.close();
      data.events.close();
      watch.faults.close();
    });
    const cosmosUrl = urlOf(data.listeners, 'cosmos');
    return {
      certificate: watch.tls?.own,
      identities: watch.opened?.identities,
      generatedToken: control.access.isGenerated ? control.access.token : undefined,
      url: urlOf(data.listeners, 'storage') ?? '',
      cosmosUrl: cosmosUrl && cosmosRoot(cosmosUrl),
      accounts: data.accounts,
      journal: watch.journal,
      callVerb: control.callVerb,
      openTransfer: data.openTransfer,
      close: () => stations.close(),
    };
  } catch (error) {
    // Report the original error, not one of closing.
    await stations.close().catch(() => {});
    throw error;
  }
}

/** The open resources of a server. They close in reverse, each before its dependencies. */
export class Stations {
  readonly #closers: (() => unknown)[] = [];
  #closed: Promise<void> | undefined;

  /** Adds a resource with its closer. Returns the resource. */
  add<T>(resource: T, close: (resource: T) => unknown): T {
    this.closeWith(() => close(resource));
    return resource;
  }

  /** Adds a closer without a resource. */
  closeWith(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes everything, even if a part fails. Repeated calls share one run. Errors: the first one. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#closers.reverse()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** The inputs of a start. */
interface Start {
  readonly config: Config;
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
}

/** Opens the clock, the data, the accounts and the state. */
async function openData(stations: Stations, start: Start) {
  const { config, logger, signal } = start;
  const time = new TestClock();
  const clock = createClock(time.now);
  let makeRoom = () => {};
  const report = (error: unknown) => {
    const isObstacle = error instanceof Error && 'obstacle' in error;
    if (isObstacle) makeRoom();
    // Only warnings: a user can remove an obstacle, and a start has already dropped a torn write.
    if (isObstacle || (error instanceof Error && 'code' in error && error.code === 'torn-write'))
      logger.warn(error.message);
    else logger.error({ err: error }, 'background work failed');
  };
  const { durability, cacheMb } = config;
  const store = stations.add(
    await openStore(placeOf(config), { clock, durability, cacheBytes: cacheMb * 1024 * 1024, report, signal }),
    (one) => one.close(),
  );
  const accounts = new Accounts([...config.accounts, ...(config.cosmos?.accounts ?? [])]);
  const dialects = await loadDialects(config.cosmos ? ['storage', 'cosmos'] : ['storage']);
  const dialectOf = (account = '') => dialects.of(accounts.find(account));
  const openAccount = async (account: Account) => store.openAccount(account.name, dialects.of(account).traits);
  for (const account of accounts.list()) await openAccount(account);
  const atEnd = stations.add({ save: async () => {} }, ({ save }) => save());
  const events = new ServerEvents();
  store.onTable(({ kind, ...place }) => events.add({ kind: `table-${kind}`, ...place }));
  // Stops after the listeners, because a running request may start background work of the state.
  const state = stations.add(
    new State(store, accounts, report, config.undo, openAccount, (event) => events.add(event)),
    (one) => one.stop(),
  );
  makeRoom = () => void state.undos.records.dropOld().catch(report);
  await state.resume();
  const openTransfer = async () => {
    const { Transfer } = await import('./transfer/transfer.js');
    return new Transfer(store, state, (account) => dialectOf(account).operations);
  };
  const times = { now: clock.now, realNow: () => Date.now() };
  const listeners: Listener[] = [];
  return { ...start, time, times, store, events, accounts, dialects, dialectOf, state, openTransfer, atEnd, listeners };
}

type Data = Awaited<ReturnType<typeof openData>>;

/** Opens the certificate, identities, faults, journal and traces. */
async function openWatch(stations: Stations, { config, logger, store, accounts, times, dialectOf }: Data) {
  const tls = config.tls && stations.add(await prepareTls(config.tls, Date.now()), ({ own }) => own?.dispose());
  const opened =
    config.identity && stations.add(await openIdentitiesOf(config.identity, config.tls, logger), (one) => one.close());
  const shared = createSharedParts();
  const metrics = new RequestMetrics();
  const faults = openFaults(store, config);
  const { journal: capacity, coachesAll, database } = config;
  const followed = {
    accounts,
    store,
    ...times,
    dialectOf: (account?: string) => dialectOf(account).name,
    ids: shared.ids,
  };
  const kept =
    capacity > 0 ? openJournal({ capacity, coachesAll, isShared: database !== undefined, ...followed }) : undefined;
  const { journal, coach, explainer, observe } = kept ?? {};
  const openTraces = config.traces ? (await import('./traces/open-traces.js')).openTraces : undefined;
  const traces =
    openTraces &&
    stations.add(
      openTraces(explainer, (reason) => logger.warn(`traces could not be sent: ${reason}`)),
      (one) => one.close(),
    );
  const isLogged = !config.silent || config.debug !== undefined;
  const observers = [
    ...[metrics.observe, ...(observe ? [observe] : []), ...(traces ? [traces.observe] : [])],
    ...(isLogged ? [requestLog(logger)] : []),
  ];
  const tokensOf = ({ requests }: Dialect) => (requests.hasTableRoles ? opened?.identities : undefined);
  return { tls, opened, shared, metrics, faults, journal, coach, explainer, observers, tokensOf };
}

type Watch = Awaited<ReturnType<typeof openWatch>>;

async function openControl(data: Data, { metrics, journal, coach, faults, opened, tokensOf }: Watch) {
  const { config, logger, accounts, dialects, state, events, time, times, store, openTransfer, listeners } = data;
  const access = openAdminAccess(config);
  const serviceAt = (port: number | undefined) => listeners.find(({ url }) => portOf(url) === port)?.speaks;
  const running = {
    isStopping: false,
    started: Date.now(),
    accounts: () => [...accounts.names],
    location: config.inMemory || config.database ? undefined : resolve(config.location),
    rootOf: (root: string, port: number | undefined, dialect: DialectName) =>
      serviceAt(port) === dialect ? root : withPortOf(root, urlOf(listeners, dialect)),
    urlOf: (dialect: DialectName) => urlOf(listeners, dialect) ?? '',
    serviceAt,
  };
  const identity = opened && (await openIdentityControl(opened.identities, data));
  const hosts = new AllowedHosts(config.allowedHosts, accounts);
  // `--allowedHosts *` opens the tables to pages of any host, but not the control endpoints.
  const named = config.allowedHosts.filter((name) => name !== '*');
  const explorer = {
    ...{ accounts, now: times.now, host: config.host },
    identitiesOf: (service: DialectName | undefined) => {
      const dialect = dialects.list().find(({ name }) => name === service);
      return dialect && tokensOf(dialect);
    },
  };
  const control = createControl({
    ...{ hosts, adminHosts: new AllowedHosts(named, accounts), access, accounts },
    ...{ metrics, journal, events, coach, state, faults, identity },
    report: (error) => logger.error({ err: error }, 'a control call failed'),
    clock: { clock: time, config },
    explorer: config.explorer && config.admin !== 'off' ? explorer : undefined,
    ...{ openTransfer, server: running, store },
  });
  return { ...control, access, hosts, running };
}

/** Loads the seeds or the import. Returns the object that exports on stop; undefined if there is nothing to load or export. */
async function loadStartData({ config, logger, signal, store, state, openTransfer }: Data) {
  const isLoading = config.seeds.length > 0 || config.importPath !== undefined || config.exportPath !== undefined;
  if (!isLoading) {
    if (await forgetInterruptedLoad(store.snapshots)) logger.warn(interrupted);
    return undefined;
  }
  const { StartData } = await import('./transfer/start-data.js');
  const accounts = state.accountNames();
  const note = (text: string) => logger.info(text);
  const startData = new StartData({ store, state, transfer: await openTransfer(), accounts, note, signal }, config);
  await startData.load();
  return startData;
}

/** Listens on the port of each dialect. */
async function openListeners(
  stations: Stations,
  { config, logger, dialects, store, accounts, times, state, listeners }: Data,
  { tls, shared, observers, journal, faults, explainer, tokensOf }: Watch,
  { endpoints, hosts }: Awaited<ReturnType<typeof openControl>>,
) {
  const { oauth: bearerTokens, pathFirst } = config;
  const findAccounts = config.database && (() => state.findBranches());
  const appOptions = {
    ...{ reserved: endpoints, observers, logger, bounds: config, tls: tls?.options },
    keepsBodies: journal !== undefined && config.journalBodies,
    // Answers from a database arrive together. If they waited again, it would wait for requests.
    groupsReads: config.database === undefined,
  };
  const ports = { storage: config.port, cosmos: config.cosmos?.port ?? 0 };
  stations.add(listeners, (all) => Promise.all(all.map(({ stop }) => stop())));
  for (const dialect of dialects.list()) {
    const service = createService({
      ...{ dialect, store, accounts, hosts, ...times, ...shared },
      ...{ bearerTokens, pathFirst, findAccounts, gate: faults, explainer },
      tokens: tokensOf(dialect),
      report: (err, message, requestId) => logger.error({ err, requestId }, message),
    });
    listeners.push(await listen({ ...appOptions, service }, { host: config.host, port: ports[dialect.name] }));
  }
}

function urlOf(listeners: readonly Listener[], dialect: DialectName): string | undefined {
  return listeners.find(({ speaks }) => speaks === dialect)?.url;
}

/** Replaces the port of `root`, by which a client reached one listener, with the port of another. */
function withPortOf(root: string, url: string | undefined): string {
  return url === undefined ? root : root.replace(/(?::\d+)?$/, `:${portOf(url)}`);
}

/** Opens the identities of a server, whose modules are loaded on demand. Errors: ConfigError. */
async function openIdentitiesOf(identity: IdentityConfig, tls: Config['tls'], logger: Logger): Promise<OpenIdentities> {
  if (!tls) throw new ConfigError('--identity needs HTTPS: add --https, or --cert and --key.');
  const { openIdentities } = await import('./identity/open-identities.js');
  return openIdentities(identity, {
    changed: (path, names) => logger.info(`the identities are now those of ${path}: ${names.join(', ')}`),
    failed: (error) =>
      logger.error(`the identities stay as they were. ${error instanceof Error ? error.message : error}`),
  });
}

async function openIdentityControl(identities: Identities, { listeners, accounts }: Data) {
  const { identityRows, identityVerbs } = await import('./control/rows/identity.js');
  const url = () => urlOf(listeners, 'storage') ?? '';
  return {
    rows: identityRows(identities, url),
    verbs: identityVerbs(identities, url, () => accounts.list()[0]?.name ?? ''),
  };
}

/** Returns the location of the data. */
function placeOf({ inMemory, database, location }: Config): StorePlace {
  if (database) return { engine: 'postgres', ...database };
  return inMemory ? { engine: 'memory' } : { engine: 'level', location };
}
