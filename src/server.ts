import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { Accounts } from './auth/accounts.js';
import type { Config } from './config.js';
import { openAdminAccess } from './control/admin-access.js';
import type { CallControl } from './control/call-row.js';
import { RequestMetrics } from './control/request-metrics.js';
import { createClock } from './entity/clock.js';
import { AllowedHosts } from './http/allowed-hosts.js';
import { type AppOptions, createApp } from './http/create-app.js';
import { requestLog } from './http/log-request.js';
import type { OwnCertificate } from './http/own-certificate.js';
import type { RequestObserver } from './http/request-record.js';
import { TableService } from './http/table-service.js';
import { prepareTls } from './http/tls.js';
import type { Journal } from './journal/journal.js';
import type { JournalOptions, OpenJournal } from './journal/open-journal.js';
import { openLog } from './log.js';
import { openStore, type StorePlace } from './store/open-store.js';
import type { Transfer } from './transfer/transfer.js';

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Scheme, host and port of the listener for Cosmos DB; undefined if there is none. */
  readonly cosmosUrl: string | undefined;
  /** The self-signed certificate that the server made, if it serves one. */
  readonly certificate: Pick<OwnCertificate, 'cert' | 'file' | 'notice'> | undefined;
  /** The token of the control endpoints, if the server made one. */
  readonly madeToken: string | undefined;
  /** The last requests; undefined if the settings want no journal. */
  readonly journal: Journal | undefined;
  /** Calls the control rows within this process. */
  readonly call: CallControl;
  /** Loads what imports and exports. */
  readonly openTransfer: () => Promise<Transfer>;
  /** The accounts, which may change while the server runs. */
  readonly accounts: Accounts;
  /** Finishes the current requests, writes pending changes and closes the data. */
  close(): Promise<void>;
}

/**
 * Opens the data, creates the service and listens. Aborting `signal` cancels the opening of the data.
 *
 * Errors: StoreError if the data cannot be opened; a system error if the port is in use; the reason of the signal.
 */
export async function startServer(
  config: Config,
  logger: Logger = openLog(config).logger,
  signal?: AbortSignal,
): Promise<RunningServer> {
  const clock = createClock();
  const store = await openStore(placeOf(config), {
    clock,
    durability: config.durability,
    cacheBytes: config.cacheMb * 1024 * 1024,
    report: (error) => logger.error({ err: error }, 'background work failed'),
    signal,
  });
  let certificate: OwnCertificate | undefined;
  let stopState = () => {};
  const listeners: Listener[] = [];
  try {
    const accounts = new Accounts([...config.accounts, ...(config.cosmos?.accounts ?? [])]);
    const tls = config.tls && (await prepareTls(config.tls, Date.now()));
    certificate = tls?.own;
    const hosts = new AllowedHosts(config.allowedHosts, accounts);
    const { Faults } = await import('./faults/faults.js');
    const faults = new Faults(store);
    const { oauth: bearerTokens, pathFirst } = config;
    const serviceOptions = { accounts, store, now: clock.now, bearerTokens, pathFirst, gate: faults };
    const metrics = new RequestMetrics();
    // Loaded in parts: a process that may open few files cannot read all modules at once.
    const kept = config.journal > 0 ? await openJournalOf(config, { accounts, store, now: clock.now }) : undefined;
    const { journal, coach, explainer, observers = [] } = kept ?? {};
    const access = openAdminAccess(config);
    // A host for every page that names it may ask for tables, as the user wants, but not control the server.
    const adminHosts = new AllowedHosts(
      config.allowedHosts.filter((name) => name !== '*'),
      accounts,
    );
    const report = (error: unknown) => logger.error({ err: error }, 'background work failed');
    const { State } = await import('./state/state.js');
    const state = new State(store, accounts, report, config.undo);
    stopState = () => state.stop();
    await state.resume();
    const openTransfer = async () => {
      const { Transfer } = await import('./transfer/transfer.js');
      return new Transfer(store, state);
    };
    const running = { isStopping: false, started: Date.now(), accounts: () => [...accounts.names] };
    const isLogged = !config.silent || config.debug !== undefined;
    const { createControl } = await import('./control/create-control.js');
    const control = createControl({
      hosts,
      adminHosts,
      access,
      metrics,
      journal,
      coach,
      state,
      faults,
      explorer: config.explorer && config.admin !== 'off' ? { accounts, now: clock.now } : undefined,
      openTransfer,
      server: running,
      store,
    });
    const observeMetrics: RequestObserver = (record) => metrics.observe(record);
    const appOptions = {
      hosts,
      reserved: control.endpoints,
      observers: [observeMetrics, ...observers, ...(isLogged ? [requestLog(logger)] : [])],
      explainer,
      keepsBodies: journal !== undefined && config.journalBodies,
      logger,
      bounds: config,
      tls: tls?.options,
    };
    listeners.push(await listen({ ...appOptions, service: new TableService(serviceOptions) }, config, config.port));
    if (config.cosmos) {
      const { cosmosDialect: dialect } = await import('./dialects/cosmos/cosmos-dialect.js');
      for (const { name } of config.cosmos.accounts) await store.openAccount(name, dialect.traits);
      const service = new TableService({ ...serviceOptions, dialect });
      listeners.push(await listen({ ...appOptions, service }, config, config.cosmos.port));
    }
    const [first, second] = listeners;
    let closed: Promise<void> | undefined;
    const close = () => {
      running.isStopping = true;
      journal?.close();
      faults.clear();
      // A request that is still running may start background work of the state.
      closed ??= Promise.all(listeners.map(({ stop }) => stop()))
        .finally(stopState)
        .then(() => store.close())
        .finally(() => certificate?.dispose());
      return closed;
    };
    return {
      certificate,
      madeToken: access.isMade ? access.token : undefined,
      url: first?.url ?? '',
      cosmosUrl: second?.url,
      accounts,
      journal,
      call: control.call,
      openTransfer,
      close,
    };
  } catch (error) {
    stopState();
    await Promise.all(listeners.map(({ stop }) => stop()));
    await store.close();
    await certificate?.dispose();
    throw error;
  }
}

/** A port that the server listens on. */
interface Listener {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Listens on a port. Errors: a system error if the port is in use. */
async function listen(options: AppOptions, { host, tls }: Config, port: number): Promise<Listener> {
  const { app, stop } = createApp(options);
  await app.listen({ host, port });
  const { port: taken } = app.server.address() as AddressInfo;
  const named = host.includes(':') ? `[${host}]` : host;
  return { url: `${tls ? 'https' : 'http'}://${named}:${taken}`, stop };
}

async function openJournalOf(
  { journal: capacity, coachesAll, database }: Config,
  followed: Pick<JournalOptions, 'accounts' | 'store' | 'now'>,
): Promise<OpenJournal> {
  const { openJournal } = await import('./journal/open-journal.js');
  return openJournal({ capacity, coachesAll, isShared: database !== undefined, ...followed });
}

/** Returns where the settings put the data. */
function placeOf({ inMemory, database, location }: Config): StorePlace {
  if (database) return { engine: 'postgres', ...database };
  return inMemory ? { engine: 'memory' } : { engine: 'level', location };
}
