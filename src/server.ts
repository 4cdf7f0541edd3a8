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
import { type JournalOptions, type OpenJournal, openJournal } from './insight/open-journal.js';
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
import type { Traces } from './traces/open-traces.js';
import { forgetInterruptedLoad, interrupted } from './transfer/contract.js';
import type { Transfer } from './transfer/transfer.js';
import { type Listener, listen } from './wire/listen.js';

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  /** Scheme, host and port of the listener for Cosmos DB, as its clients need them; undefined if there is none. */
  readonly cosmosUrl: string | undefined;
  /** The self-signed certificate that the server made, if it serves one. */
  readonly certificate: Pick<OwnCertificate, 'cert' | 'file' | 'notice'> | undefined;
  /** The identities whose tokens the server verifies, if it has any. */
  readonly identities: Identities | undefined;
  /** The token of the control endpoints, if the server made one. */
  readonly madeToken: string | undefined;
  /** The last requests; undefined if the settings want no journal. */
  readonly journal: Journal | undefined;
  /** Calls a verb within this process. */
  readonly callVerb: CallVerb;
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
  const time = new TestClock();
  const clock = createClock(time.now);
  const times = { now: clock.now, realNow: () => Date.now() };
  const store = await openStore(placeOf(config), {
    clock,
    durability: config.durability,
    cacheBytes: config.cacheMb * 1024 * 1024,
    report(error) {
      // A start after a kill has done its work, and an obstacle is removed by somebody.
      const isWarning =
        error instanceof Error && ('obstacle' in error || ('code' in error && error.code === 'torn-write'));
      if (isWarning) logger.warn(error.message);
      else logger.error({ err: error }, 'background work failed');
    },
    signal,
  });
  let certificate: OwnCertificate | undefined;
  let traces: Traces | undefined;
  let stopState = async () => {};
  let opened: OpenIdentities | undefined;
  const listeners: Listener[] = [];
  const urlOf = (dialect: DialectName) => listeners.find(({ speaks }) => speaks === dialect)?.url;
  const serviceAt = (port: number | undefined) => listeners.find(({ url }) => portOf(url) === port)?.speaks;
  try {
    const accounts = new Accounts([...config.accounts, ...(config.cosmos?.accounts ?? [])]);
    const tls = config.tls && (await prepareTls(config.tls, Date.now()));
    certificate = tls?.own;
    const hosts = new AllowedHosts(config.allowedHosts, accounts);
    opened = config.identity && (await openIdentitiesOf(config.identity, config.tls, logger));
    const faults = openFaults(store, config);
    const { oauth: bearerTokens, pathFirst } = config;
    const findAccounts = config.database && (() => state.findBranches());
    const shared = createSharedParts();
    const metrics = new RequestMetrics();
    const dialects = await loadDialects(config.cosmos ? ['storage', 'cosmos'] : ['storage']);
    const dialectOf = (account = '') => dialects.of(accounts.find(account)).name;
    const kept =
      config.journal > 0 ? openJournalOf(config, { accounts, store, ...times, dialectOf, ids: shared.ids }) : undefined;
    const { journal, coach, explainer, observe } = kept ?? {};
    const access = openAdminAccess(config);
    // A host for every page that names it may ask for tables, as the user wants, but not control the server.
    const adminHosts = new AllowedHosts(
      config.allowedHosts.filter((name) => name !== '*'),
      accounts,
    );
    const report = (error: unknown) => logger.error({ err: error }, 'background work failed');
    const openAccount = async (account: Account) => store.openAccount(account.name, dialects.of(account).traits);
    for (const account of accounts.list()) await openAccount(account);
    const state = new State(store, accounts, report, config.undo, openAccount);
    stopState = () => state.stop();
    await state.resume();
    const openTransfer = async () => {
      const { Transfer } = await import('./transfer/transfer.js');
      return new Transfer(store, state, (account) => dialects.of(accounts.find(account)).operations);
    };
    const running = {
      isStopping: false,
      started: Date.now(),
      accounts: () => [...accounts.names],
      rootOf: (root: string, port: number | undefined, dialect: DialectName) =>
        serviceAt(port) === dialect ? root : withPortOf(root, urlOf(dialect)),
      serviceAt,
    };
    const isLogged = !config.silent || config.debug !== undefined;
    const identity =
      opened &&
      (await openIdentityControl(
        opened.identities,
        () => urlOf('storage') ?? '',
        () => accounts.list()[0]?.name ?? '',
      ));
    const tokensOf = ({ requests }: Dialect) => (requests.hasTableRoles ? opened?.identities : undefined);
    const control = createControl({
      hosts,
      adminHosts,
      access,
      report: (error) => logger.error({ err: error }, 'a control call failed'),
      metrics,
      journal,
      coach,
      state,
      faults,
      clock: { clock: time, config },
      identity,
      explorer:
        config.explorer && config.admin !== 'off'
          ? {
              ...{ accounts, now: clock.now, host: config.host },
              identitiesOf: (service) =>
                dialects
                  .list()
                  .filter(({ name }) => name === service)
                  .map(tokensOf)[0],
            }
          : undefined,
      openTransfer,
      server: running,
      store,
    });
    const isLoading = config.seeds.length > 0 || config.importPath !== undefined || config.exportPath !== undefined;
    const startData = isLoading
      ? new (await import('./transfer/start-data.js')).StartData(
          {
            store,
            state,
            transfer: await openTransfer(),
            accounts: state.accountNames(),
            note: (text) => logger.info(text),
            signal,
          },
          config,
        )
      : undefined;
    if (startData) await startData.load();
    else if (await forgetInterruptedLoad(store.snapshots)) logger.warn(interrupted);
    const openTraces = config.traces ? (await import('./traces/open-traces.js')).openTraces : undefined;
    traces = openTraces?.(explainer, (reason) => logger.warn(`traces could not be sent: ${reason}`));
    const appOptions = {
      reserved: control.endpoints,
      observers: [
        metrics.observe,
        ...(observe ? [observe] : []),
        ...(traces ? [traces.observe] : []),
        ...(isLogged ? [requestLog(logger)] : []),
      ],
      keepsBodies: journal !== undefined && config.journalBodies,
      // The answers of a database arrive together. If they waited again, it would wait for requests.
      logger,
      bounds: config,
      tls: tls?.options,
    };
    const ports = { storage: config.port, cosmos: config.cosmos?.port ?? 0 };
    for (const dialect of dialects.list()) {
      const service = createService({
        ...{ dialect, store, accounts, hosts, ...times, ...shared },
        ...{ bearerTokens, pathFirst, findAccounts, gate: faults, explainer },
        tokens: tokensOf(dialect),
        report: (err, message, requestId) => logger.error({ err, requestId }, message),
      });
      listeners.push(await listen({ ...appOptions, service }, { host: config.host, port: ports[dialect.name] }));
    }
    const cosmosUrl = urlOf('cosmos');
    let closed: Promise<void> | undefined;
    const close = () => {
      running.isStopping = true;
      journal?.close();
      faults.close();
      opened?.close();
      // A request that is still running may start background work of the state.
      closed ??= Promise.all(listeners.map(({ stop }) => stop()))
        .finally(stopState)
        .then(() => startData?.save())
        .finally(() => store.close())
        .finally(() => certificate?.dispose())
        .finally(() => traces?.close());
      return closed;
    };
    return {
      certificate,
      identities: opened?.identities,
      madeToken: access.isMade ? access.token : undefined,
      url: urlOf('storage') ?? '',
      cosmosUrl: cosmosUrl && cosmosRoot(cosmosUrl),
      accounts,
      journal,
      callVerb: control.callVerb,
      openTransfer,
      close,
    };
  } catch (error) {
    opened?.close();
    await stopState();
    await Promise.all(listeners.map(({ stop }) => stop()));
    await store.close();
    await certificate?.dispose();
    await traces?.close();
    throw error;
  }
}

/** Returns the root of a listener as a client reaches it that reaches another one at `root`. */
function withPortOf(root: string, url: string | undefined): string {
  return url === undefined ? root : root.replace(/(?::\d+)?$/, `:${portOf(url)}`);
}

function openJournalOf(
  { journal: capacity, coachesAll, database }: Config,
  followed: Pick<JournalOptions, 'accounts' | 'store' | 'now' | 'realNow' | 'dialectOf' | 'ids'>,
): OpenJournal {
  return openJournal({ capacity, coachesAll, isShared: database !== undefined, ...followed });
}

/** Opens the identities of a server. Nothing of them is loaded without the option. Errors: ConfigError. */
async function openIdentitiesOf(identity: IdentityConfig, tls: Config['tls'], logger: Logger): Promise<OpenIdentities> {
  if (!tls) throw new ConfigError('--identity needs HTTPS: add --https, or --cert and --key.');
  const { openIdentities } = await import('./identity/open-identities.js');
  return openIdentities(identity, {
    changed: (path, names) => logger.info(`the identities are now those of ${path}: ${names.join(', ')}`),
    failed: (error) =>
      logger.error(`the identities stay as they were. ${error instanceof Error ? error.message : error}`),
  });
}

async function openIdentityControl(identities: Identities, urlOf: () => string, account: () => string) {
  const { identityRows, identityVerbs } = await import('./control/rows/identity.js');
  return { rows: identityRows(identities, urlOf), verbs: identityVerbs(identities, urlOf, account) };
}

/** Returns where the settings put the data. */
function placeOf({ inMemory, database, location }: Config): StorePlace {
  if (database) return { engine: 'postgres', ...database };
  return inMemory ? { engine: 'memory' } : { engine: 'level', location };
}
