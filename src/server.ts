import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { Accounts } from './auth/accounts.js';
import { Coach } from './coach/coach.js';
import type { Config } from './config.js';
import { openAdminAccess } from './control/admin-access.js';
import type { CallControl } from './control/call-row.js';
import { createControl } from './control/create-control.js';
import { RequestMetrics } from './control/request-metrics.js';
import { createClock } from './entity/clock.js';
import { AllowedHosts } from './http/allowed-hosts.js';
import { createApp } from './http/create-app.js';
import { requestLog } from './http/log-request.js';
import type { OwnCertificate } from './http/own-certificate.js';
import type { RequestObserver, RequestRecord } from './http/request-record.js';
import { TableService } from './http/table-service.js';
import { prepareTls } from './http/tls.js';
import { boundCoaching } from './journal/bound-coaching.js';
import { Explainer } from './journal/explainer.js';
import { feedCoach } from './journal/feed-coach.js';
import { Journal } from './journal/journal.js';
import { openLog } from './log.js';
import { State } from './state/state.js';
import { openStore, type StorePlace } from './store/open-store.js';

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** The self-signed certificate that the server made, if it serves one. */
  readonly certificate: Pick<OwnCertificate, 'cert' | 'file' | 'notice'> | undefined;
  /** The token of the control endpoints, if the server made one. */
  readonly madeToken: string | undefined;
  /** The last requests; undefined if the settings want no journal. */
  readonly journal: Journal | undefined;
  /** Calls the control rows within this process. */
  readonly call: CallControl;
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
  try {
    const accounts = new Accounts(config.accounts);
    const tls = config.tls && (await prepareTls(config.tls, Date.now()));
    certificate = tls?.own;
    const hosts = new AllowedHosts(config.allowedHosts, accounts);
    const service = new TableService({
      accounts,
      store,
      now: clock.now,
      bearerTokens: config.oauth,
      pathFirst: config.pathFirst,
    });
    const metrics = new RequestMetrics();
    const journal = config.journal > 0 ? new Journal(config.journal) : undefined;
    const coach = journal && new Coach();
    if (journal) store.onCommit((transaction) => journal.observeCommit(transaction), 'new');
    const isShared = config.database !== undefined;
    const explainer = journal && new Explainer({ accounts, now: clock.now, changes: journal.changes, isShared });
    const access = openAdminAccess(config);
    // A host for every page that names it may ask for tables, as the user wants, but not control the server.
    const adminHosts = new AllowedHosts(
      config.allowedHosts.filter((name) => name !== '*'),
      accounts,
    );
    const report = (error: unknown) => logger.error({ err: error }, 'background work failed');
    const state = new State(store, accounts, report);
    await state.resume();
    const running = { isStopping: false, started: Date.now(), accounts: () => [...accounts.names] };
    const isLogged = !config.silent || config.debug !== undefined;
    const control = createControl({
      hosts,
      adminHosts,
      access,
      metrics,
      journal,
      coach,
      state,
      server: running,
      store,
    });
    const { app, stop } = createApp({
      service,
      hosts,
      reserved: control.endpoints,
      observers: [
        (record) => metrics.observe(record),
        ...(journal ? [(record: RequestRecord) => journal.observe(record)] : []),
        ...(journal && coach ? [coachObserver(coach, journal, config)] : []),
        ...(isLogged ? [requestLog(logger)] : []),
      ],
      explainer,
      keepsBodies: journal !== undefined && config.journalBodies,
      logger,
      bounds: config,
      tls: tls?.options,
    });
    await app.listen({ host: config.host, port: config.port });
    const { port } = app.server.address() as AddressInfo;
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    let closed: Promise<void> | undefined;
    const close = () => {
      running.isStopping = true;
      state.stop();
      journal?.close();
      closed ??= stop()
        .then(() => store.close())
        .finally(() => certificate?.dispose());
      return closed;
    };
    return {
      certificate,
      madeToken: access.isMade ? access.token : undefined,
      url: `${config.tls ? 'https' : 'http'}://${host}:${port}`,
      accounts,
      journal,
      call: control.call,
      close,
    };
  } catch (error) {
    await store.close();
    await certificate?.dispose();
    throw error;
  }
}

/** Returns the observer that tells a coach of requests: of all of them, or of a part when there are many. */
function coachObserver(coach: Coach, journal: Journal, { coachesAll }: Config): RequestObserver {
  const observe = feedCoach(coach, () => journal.currentMark, Date.now);
  return coachesAll ? observe : boundCoaching(coach, observe, Date.now);
}

/** Returns where the settings put the data. */
function placeOf({ inMemory, database, location }: Config): StorePlace {
  if (database) return { engine: 'postgres', ...database };
  return inMemory ? { engine: 'memory' } : { engine: 'level', location };
}
