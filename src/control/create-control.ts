import type { Accounts } from '../auth/accounts.js';
import { createSignature } from '../auth/create-signature.js';
import { signAccess, WishFault } from '../auth/sign-access.js';
import { SigningKey } from '../auth/signing-key.js';
import { shownValue } from '../config.js';
import type { Coach } from '../insight/coach/coach.js';
import type { Journal } from '../insight/journal/journal.js';
import type { ServerEvents } from '../insight/live/server-events.js';
import type { AccessWish } from '../protocol/access/access-wish.js';
import type { DialectName } from '../protocol/access/accounts.js';
import { writeConnectionString } from '../protocol/access/connection-string.js';
import type { AllowedHosts } from '../service/allowed-hosts.js';
import type { BranchSummary } from '../state/contract.js';
import { DiffTurns } from '../state/diff-turns.js';
import type { State } from '../state/state.js';
import type { Transfer } from '../transfer/transfer.js';
import { checkInput, readStrings } from '../verbs/check-input.js';
import { allVerbs } from '../verbs/registry.js';
import type { HealthStatus, Session } from '../verbs/server.js';
import {
  type AnyVerb,
  type FaultRules,
  type IdentityVerbs,
  RejectedCall,
  type TableLists,
  type VerbCaller,
  type VerbServer,
} from '../verbs/verb.js';
import { routeOf } from '../verbs/verb-row.js';
import { ownVersion } from '../version.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { type AdminAccess, isLoopback } from './admin-access.js';
import { Control } from './control.js';
import { answerJson, type ControlRequest, type ControlRow, ndjson } from './control-row.js';
import { callerRight, createGuard } from './guard.js';
import type { MeasuredStore, MetricsPage } from './metrics/metrics-page.js';
import type { RequestMetrics } from './metrics/request-metrics.js';
import { mcpRow } from './rows/mcp.js';
import { answerObject } from './verbs/answer-object.js';
import { type CallVerb, createCallVerb } from './verbs/call-verb.js';

/** The dependencies of the control endpoints. */
export interface ControlOptions {
  readonly hosts: AllowedHosts;
  /** The hosts for rows that are not open: only names that no web page can own. */
  readonly adminHosts: AllowedHosts;
  readonly access: AdminAccess;
  readonly accounts: Accounts;
  /** Receives unexpected errors of calls. */
  readonly report: (error: unknown) => void;
  readonly metrics: RequestMetrics;
  readonly journal?: Journal | undefined;
  readonly events: ServerEvents;
  readonly coach?: Coach | undefined;
  readonly state: State;
  readonly faults: FaultRules;
  readonly clock: VerbServer['clock'];
  /** Absent without identities. */
  readonly identity?: { readonly rows: readonly ControlRow[]; readonly verbs: IdentityVerbs } | undefined;
  /** The dependencies of the page for browsers. Absent without a page. */
  readonly explorer?: Pick<SessionOptions, 'accounts' | 'now' | 'host' | 'identitiesOf'> | undefined;
  readonly openTransfer: () => Promise<Transfer>;
  readonly server: Stopping & ServerInfo;
  readonly store: StoreHealth & TableLists & MeasuredStore & { memory?: VerbServer['info']['memory'] };
}

/** The verbs, for clients over HTTP and for callers in this process. */
interface CreatedControl {
  readonly endpoints: Control;
  /** Ignores the settings that hide verbs from clients. */
  readonly callVerb: CallVerb;
}

/** Creates the control endpoints, with their guard. */
export function createControl({
  hosts,
  adminHosts,
  access,
  accounts,
  report,
  metrics,
  journal,
  events,
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
    return writeConnectionString(server.rootOf(numericHost(root), port, dialect), { name, keys: [key], dialect });
  };
  const connectionStrings: VerbServer['connectionStrings'] = ({ root, port }) =>
    accounts
      .list()
      .filter(({ origin }) => origin === undefined)
      .map((account) => {
        const { name, dialect = 'storage' } = account;
        const reached = root === undefined ? server.urlOf(dialect) : server.rootOf(numericHost(root), port, dialect);
        return { account: name, connectionString: writeConnectionString(reached, account) };
      });
  const verbServer: VerbServer = {
    ...{ state, journal, events, coach, faults, clock },
    identity: identity?.verbs,
    tables: store,
    info: {
      ...{ version: ownVersion(), started: server.started, accounts: server.accounts, location: server.location },
      memory: () => store.memory?.(),
    },
    health: () => readiness(store, server),
    openSession:
      explorer &&
      ((caller) =>
        openSession({ ...explorer, branches: () => state.listBranches(), serviceAt: server.serviceAt }, caller)),
    signAccess: explorer && ((account, wish) => signFor(explorer, account, wish)),
    signPolicies: explorer && ((account, table) => signPolicies(explorer, account, table)),
    openTransfer,
    diffs: new DiffTurns(),
    connectionStringOf,
    connectionStrings,
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
    mcpRow(verbServer, report),
    metricsRow(metrics, store),
    ...(identity?.rows ?? []),
    ...(explorer ? explorerRows : []),
  ];
  const visible = access.mode === 'off' ? rows.filter(({ isOpen }) => isOpen) : rows;
  return {
    endpoints: new Control(visible, createGuard({ hosts, adminHosts, access }), report, (request) =>
      callerRight(request, access),
    ),
    callVerb: createCallVerb(verbServer),
  };
}

/** Replaces localhost: SDKs mistake such a URL for Cosmos DB, unless the account is the development account. */
function numericHost(root: string): string {
  return root.replace(/\/\/localhost(?=:|$)/i, '//127.0.0.1');
}

function metricsRow(metrics: RequestMetrics, store: MeasuredStore): ControlRow {
  let page: Promise<MetricsPage> | undefined;
  return {
    method: 'GET',
    path: `${controlRoot}/metrics`,
    purpose: 'counts and durations, for Prometheus',
    isOpen: true,
    async run() {
      // Loaded on demand, because most servers are never monitored.
      page ??= import('./metrics/metrics-page.js').then(({ createMetricsPage }) => createMetricsPage(metrics, store));
      const { contentType, write } = await page;
      return { status: 200, contentType, body: await write() };
    },
  };
}

/** Returns the control row of a verb. */
export function verbRow(verb: AnyVerb, server: VerbServer): ControlRow {
  const [method, path] = routeOf(verb);
  const hasBody = method === 'POST' || method === 'PUT';
  const [namelessField] = hasBody ? [] : (verb.words ?? []);
  return {
    method,
    path: `${controlRoot}${path}`,
    purpose: verb.does,
    takesQuery: true,
    ...(namelessField !== undefined && !path.includes(`{${namelessField}}`) && { namelessField }),
    ...(hasBody && { takes: verb.uploads ? ('upload' as const) : ('json' as const) }),
    ...(verb.isOpen && { isOpen: true as const }),
    ...(hasBody && verb.changes === 'nothing' && { isForReaders: true as const }),
    // HEAD would cost as much as GET.
    ...(method === 'GET' && !verb.isOpen && { rejectsHead: true as const }),
    async run(request) {
      const input = verb.isOpen ? {} : checkInput(verb, inputOf(verb, request, hasBody && !verb.uploads));
      if (verb.sends === 'lines')
        return { status: 200, contentType: ndjson, body: await verb.run(server, input, request) };
      if (verb.sends !== 'file') {
        const answer = (await verb.run(server, input, request)) as object;
        if (verb.textOf && /^text\/plain\b/i.test(request.headers?.accept ?? ''))
          return { status: 200, contentType: 'text/plain; charset=utf-8', body: verb.textOf(answer) };
        return { ...answerObject(answer), ...(verb.statusOf && { status: verb.statusOf(answer) }) };
      }
      const { name, ...file } = await verb.run(server, input, request);
      const disposition = name === undefined ? undefined : `attachment; filename="${name}"`;
      return {
        status: 200,
        ...file,
        ...(disposition !== undefined && { headers: { 'Content-Disposition': disposition } }),
      };
    },
  };
}

/** Returns the fields in the path, and in the body or the query. Errors: RejectedCall. */
function inputOf(verb: AnyVerb, { query, body, params }: ControlRequest, hasBody: boolean): unknown {
  const [first] = query.keys();
  if (hasBody) {
    if (first !== undefined) throw new RejectedCall(400, `There is no query '${first}'. Send fields as a JSON body.`);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    const twice = Object.keys(params).find((name) => Object.hasOwn(body, name));
    if (twice !== undefined) throw new RejectedCall(400, `'${twice}' is in the path. Leave it out of the body.`);
    return { ...body, ...params };
  }
  const repeated = [...query.keys()].find((name) => query.getAll(name).length > 1 || Object.hasOwn(params, name));
  if (repeated !== undefined) throw new RejectedCall(400, `'${repeated}' appears more than once.`);
  return readStrings(verb, { ...Object.fromEntries(query), ...params });
}

interface SessionOptions {
  readonly accounts: Accounts;
  /** Milliseconds since 1970, on the clock that checks signatures. */
  readonly now: () => number;
  readonly branches: () => Promise<readonly BranchSummary[]>;
  readonly host: string;
  /** Returns the service on a local port. */
  readonly serviceAt: (port: number | undefined) => DialectName | undefined;
  /** Returns the identities whose tokens a service accepts; undefined if it accepts none. */
  readonly identitiesOf: (service: DialectName | undefined) => { readonly rejectsKeys: boolean } | undefined;
}

/** Lifetime of the signatures of a session. Unit: milliseconds. (Our choice: the page renews them earlier.) */
const sessionMs = 60 * 60 * 1000;

/** The permissions of the signatures, by right of the caller. Source: auth 2.1. */
const permissions = { all: 'rwdlacu', read: 'rl' } as const;

/**
 * Returns a shared access signature for each account on the port of the page, but no key. A caller that may only read gets
 * signatures that only read.
 */
async function openSession(
  { accounts, now, host, branches, serviceAt, identitiesOf }: SessionOptions,
  { right = 'all', port }: VerbCaller,
): Promise<Session> {
  const service = serviceAt(port);
  const reached = service === undefined ? accounts.names : accounts.namesOf(service);
  const expires = new Date(now() + sessionMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const request = { ss: 't', srt: 'sco', sp: permissions[right], se: expires };
  const all = await branches();
  const identities = identitiesOf(service);
  return {
    version: ownVersion(),
    right,
    isLoopbackOnly: isLoopback(host) || host === 'localhost',
    expires,
    ...(identities && { keys: identities.rejectsKeys ? ('rejected' as const) : ('accepted' as const) }),
    accounts: accounts.list().flatMap(({ name, keys: [key], dialect }) => {
      if (key === undefined || !reached.has(name)) return [];
      const branch = all.find(({ account }) => account === name);
      const sas = createSignature(request, name, key);
      return [{ name, sas, ...(dialect && { dialect }), ...(branch && { branch }) }];
    }),
  };
}

type Signing = Pick<SessionOptions, 'accounts' | 'now'>;

/** Signs access to an account, by the clock that checks signatures. Errors: RejectedCall. */
function signFor(options: Signing, name: string, wish: AccessWish): string {
  const key = keyOf(options, name);
  try {
    return signAccess(wish, { name, key }, options.now(), {
      field: (field) => `'${field}'`,
      value: shownValue,
    });
  } catch (error) {
    throw error instanceof WishFault ? new RejectedCall(400, error.message) : error;
  }
}

/** Signs with Shared Key Lite, which covers neither the method nor the body. Source: auth 1.1. */
function signPolicies(options: Signing, name: string, table: string) {
  const date = new Date(options.now()).toUTCString();
  const text = `${date}\n/${name}/${name}/${table}?comp=acl`;
  const signature = new SigningKey(keyOf(options, name)).sign(text).toString('base64');
  return { date, authorization: `SharedKeyLite ${name}:${signature}` };
}

/** Returns the first key of an account. Errors: RejectedCall. */
function keyOf({ accounts }: Signing, name: string): string {
  const [key] = accounts.list().find((one) => one.name === name)?.keys ?? [];
  if (key === undefined) throw new RejectedCall(404, `There is no account '${shownValue(name)}'.`);
  return key;
}

const explorerRoot = `${controlRoot}/explorer`;

/**
 * The rows of the page for browsers. They need no token, because the files contain no secret; the page itself first asks for a
 * token. The files are read on the first request.
 */
const explorerRows: readonly ControlRow[] = [
  {
    method: 'GET',
    path: controlRoot,
    purpose: 'a page for browsers',
    onlyAs: 'text/html',
    isOpen: true,
    run: async ({ headers }) => (await import('./rows/explorer-files.js')).answerFile('index.html', headers),
  },
  {
    method: 'GET',
    path: `${explorerRoot}/*`,
    purpose: 'the files of the page for browsers',
    isOpen: true,
    run: async ({ path, headers }) =>
      (await import('./rows/explorer-files.js')).answerFile(path.slice(explorerRoot.length + 1), headers),
  },
];

/** The health checks of a store. */
export interface StoreHealth {
  /** Whether a read succeeds. */
  answers(): boolean | Promise<boolean>;
  /** Fails while no write can succeed, with an `obstacle` if the cause is known. */
  checkWrites(): Promise<void>;
}

interface Stopping {
  readonly isStopping: boolean;
}

const livenessRow: ControlRow = {
  method: 'GET',
  path: `${controlRoot}/health/live`,
  purpose: 'whether the process answers',
  isOpen: true,
  run: () => answerJson(200, { status: 'live' }),
};

/** Returns `ready`, or the reason: `stopping`, `writes-fail` (reads still work), the obstacle of writes, or `store-fails`. */
async function readiness(store: StoreHealth, { isStopping }: Stopping): Promise<HealthStatus> {
  if (isStopping) return 'stopping';
  // Writes are checked first, because that may reopen the engine.
  const failure = await store.checkWrites().then(
    () => undefined,
    (error: unknown) => (isObstructed(error) ? error.obstacle : 'writes-fail'),
  );
  try {
    if (await store.answers()) return failure ?? 'ready';
  } catch {
    // Failed requests have logged the reason.
  }
  return 'store-fails';
}

function isObstructed(error: unknown): error is Error & { readonly obstacle: HealthStatus } {
  return error instanceof Error && 'obstacle' in error;
}

interface ServerInfo {
  readonly accounts: () => readonly string[];
  /** The path of the folder that holds the data folder; undefined for data elsewhere. */
  readonly location: string | undefined;
  /**
   * Returns the root of the listener of a service, for a client that reached the listener on `port` at `root`. A different listener
   * gets its own port, since the published port is unknown.
   */
  readonly rootOf: (root: string, port: number | undefined, dialect: DialectName) => string;
  /** Returns the server's own root of a service. */
  readonly urlOf: (dialect: DialectName) => string;
  /** Returns the service on a local port. */
  readonly serviceAt: (port: number | undefined) => DialectName | undefined;
  /** Milliseconds since 1970. */
  readonly started: number;
}
