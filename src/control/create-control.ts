import type { Coach } from '../insight/coach/coach.js';
import type { Journal } from '../insight/journal/journal.js';
import { writeConnectionString } from '../protocol/access/connection-string.js';
import type { AllowedHosts } from '../service/allowed-hosts.js';
import { DiffTurns } from '../state/diff-turns.js';
import type { State } from '../state/state.js';
import type { Transfer } from '../transfer/transfer.js';
import { allVerbs } from '../verbs/registry.js';
import type { FaultRules, IdentityVerbs, TableLists, VerbServer } from '../verbs/verb.js';
import { ownVersion } from '../version.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import type { AdminAccess } from './admin-access.js';
import { Control } from './control.js';
import { answerJson, type ControlRow } from './control-row.js';
import { callerRight, createGuard } from './guard.js';
import type { MeasuredStore, MetricsPage } from './metrics/metrics-page.js';
import type { RequestMetrics } from './metrics/request-metrics.js';
import { explorerRows } from './rows/explorer.js';
import { livenessRow, readiness, type ServerInfo, type Stopping, type StoreHealth } from './rows/server.js';
import { openSession, type SessionOptions } from './rows/session.js';
import { type CallVerb, createCallVerb } from './verbs/call-verb.js';
import { verbRow } from './verbs/verb-rows.js';

/** What the control endpoints are made of. */
export interface ControlOptions {
  readonly hosts: AllowedHosts;
  /** The hosts for everything but health and metrics: those that a web page cannot own, even if it may ask for tables. */
  readonly adminHosts: AllowedHosts;
  readonly access: AdminAccess;
  /** Gets the errors of calls that fail unexpectedly. */
  readonly report: (error: unknown) => void;
  readonly metrics: RequestMetrics;
  /** Absent: the server keeps no journal, and has no rows for it. */
  readonly journal?: Journal | undefined;
  /** Absent: no requests are judged. */
  readonly coach?: Coach | undefined;
  readonly state: State;
  readonly faults: FaultRules;
  readonly clock: VerbServer['clock'];
  /** The rows and verbs of identities. Absent: the server has none. */
  readonly identity?: { readonly rows: readonly ControlRow[]; readonly verbs: IdentityVerbs } | undefined;
  /** What the page for browsers needs. Absent: there is no page. */
  readonly explorer?: Pick<SessionOptions, 'accounts' | 'now' | 'host' | 'identitiesOf'> | undefined;
  /** Loads what imports and exports. */
  readonly openTransfer: () => Promise<Transfer>;
  readonly server: Stopping & ServerInfo;
  readonly store: StoreHealth & TableLists & MeasuredStore & { memory?: VerbServer['info']['memory'] };
}

/** The same verbs, for clients and for the program that the server runs in. */
interface CreatedControl {
  readonly endpoints: Control;
  /** Also calls the verbs that the settings hide from clients. */
  readonly callVerb: CallVerb;
}

/** Creates the control endpoints: the table of all rows, with its guard. */
export function createControl({
  hosts,
  adminHosts,
  access,
  report,
  metrics,
  journal,
  coach,
  state,
  faults,
  clock,
  identity,
  explorer,
  openTransfer,
  server,
  store,
}: ControlOptions): CreatedControl {
  const connectionStringOf: VerbServer['connectionStringOf'] = ({ account: name, key, dialect }, { root, port }) => {
    if (root === undefined) return undefined;
    // An SDK takes every URL with localhost for one of Cosmos DB, unless the account is the development account.
    const reached = root.replace(/\/\/localhost(?=:|$)/i, '//127.0.0.1');
    return writeConnectionString(server.rootOf(reached, port, dialect), { name, keys: [key], dialect });
  };
  const verbServer: VerbServer = {
    ...{ state, journal, coach, faults, clock },
    identity: identity?.verbs,
    tables: store,
    info: { version: ownVersion(), started: server.started, accounts: server.accounts, memory: () => store.memory?.() },
    health: () => readiness(store, server),
    openSession:
      explorer &&
      ((caller) =>
        openSession({ ...explorer, branches: () => state.listBranches(), serviceAt: server.serviceAt }, caller)),
    openTransfer,
    diffs: new DiffTurns(),
    connectionStringOf,
  };
  const rows: readonly ControlRow[] = [
    ...allVerbs.map((verb) => verbRow(verb, verbServer)),
    {
      method: 'GET',
      path: `${controlRoot}/openapi.json`,
      purpose: 'the description of these endpoints for programs, in OpenAPI 3.1',
      run: async () => answerJson(200, (await import('./verbs/openapi.js')).writeOpenApi(allVerbs)),
    },
    livenessRow,
    metricsRow(metrics, store),
    ...(identity?.rows ?? []),
    ...(explorer ? explorerRows : []),
  ];
  const answered = access.mode === 'off' ? rows.filter(({ isOpen }) => isOpen) : rows;
  return {
    endpoints: new Control(answered, createGuard({ hosts, adminHosts, access }), report, (request) =>
      callerRight(request, access),
    ),
    callVerb: createCallVerb(verbServer),
  };
}

/** Returns the row for the metrics page. */
function metricsRow(metrics: RequestMetrics, store: MeasuredStore): ControlRow {
  let page: Promise<MetricsPage> | undefined;
  return {
    method: 'GET',
    path: `${controlRoot}/metrics`,
    purpose: 'counts and durations, for Prometheus',
    isOpen: true,
    async run() {
      // The page is loaded at its first use: most servers are never watched.
      page ??= import('./metrics/metrics-page.js').then(({ createMetricsPage }) => createMetricsPage(metrics, store));
      const { contentType, write } = await page;
      return { status: 200, contentType, body: await write() };
    },
  };
}
