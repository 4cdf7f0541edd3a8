import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { namedHost } from '../address/request-target.js';
import { atomOfErrors, jsonOfErrors, type Representation } from '../formats/representation.js';
import { TableError } from '../protocol/errors.js';
import { headerBytesMax } from '../protocol/limits.js';
import { AllowedHosts } from '../service/allowed-hosts.js';
import { type Exchange, openExchange } from '../service/exchange.js';
import { asksForExplanation, noteCost, noteExplanation, type RequestExplainer } from '../service/explain-refusal.js';
import { KeptBodies } from '../service/kept-bodies.js';
import { formatOfEarlyError } from '../service/negotiate.js';
import { ClientGone } from '../service/read-body.js';
import type { RequestObserver } from '../service/request-record.js';
import type { ServiceAnswer } from '../service/service-answer.js';
import type { TableService } from '../service/table-service.js';
import { StoreUnavailable } from '../store/store-unavailable.js';
import type { TlsOptions } from '../tls/read-certificate.js';
import { whenSent } from './answer-groups.js';
import type { ConnectionBounds } from './connection.js';
import { Connections } from './connections.js';
import { readConnectionsMax } from './connections-max.js';
import { refuseUnreadable } from './refuse-connection.js';
import { rereadTarget } from './reread-target.js';
import { rereadUpgrades } from './reread-upgrade.js';
import { isReserved, type ReservedEndpoints } from './reserved-endpoints.js';
import { writeAnswer, writeError } from './write-answer.js';

/** The parts and the settings of the HTTP server. */
export interface AppOptions {
  readonly service: TableService;
  /** Answers the requests whose path is reserved; absent: the service refuses them like any unknown path. */
  readonly reserved?: ReservedEndpoints;
  /** The hosts that browsers may use; absent: those that are always allowed. */
  readonly hosts?: AllowedHosts;
  /** Explains refusals to the observers, and requests to those that ask for it; absent: nothing is explained. */
  readonly explainer?: RequestExplainer | undefined;
  readonly logger: FastifyBaseLogger;
  /** Time limits for clients. */
  readonly bounds: ConnectionBounds;
  /** Whether the observers get the bodies; absent: they do not. */
  readonly keepsBodies?: boolean;
  /** Whether answers to reads may wait for each other; absent: they do not. For a store that answers most reads at once. */
  readonly groupsReads?: boolean;
  /** Get each request of the service when it ends, in this order; absent: none. */
  readonly observers?: readonly RequestObserver[];
  /** Serve HTTPS with this certificate. */
  readonly tls: TlsOptions | undefined;
}

/** An HTTP server. */
export interface App {
  readonly app: FastifyInstance;
  /** Stops the server: accepts no more connections, answers the requests in progress, closes all other connections. */
  stop(): Promise<void>;
}

/** The status of a request whose client left before its answer was sent. */
const clientGoneStatus = 499;

/** Stands for the compilers of schemas, which no route has. */
function noCompiler(): never {
  throw new Error('no route has a schema');
}

/**
 * Creates the HTTP server. Fastify has one route for all requests, because paths are signed and parsed as they were sent.
 * The service reads the bodies, after it has authenticated the sender.
 */
export function createApp({
  service,
  reserved,
  hosts = new AllowedHosts([]),
  explainer,
  logger,
  bounds,
  keepsBodies = false,
  groupsReads = false,
  observers = [],
  tls,
}: AppOptions): App {
  const connections = new Connections(bounds, readConnectionsMax());
  const app = fastify({
    // Observers log requests. Fastify's own logger would cost every request two listeners.
    logger: false,
    // A request that arrives while the server stops is answered like any other.
    return503OnClosing: false,
    ...nodeOptions(bounds, tls),
    clientErrorHandler: (error, socket) => {
      if (!rereadTarget(app.server, error, socket, connections)) refuseUnreadable(error, socket, connections);
    },
    // The router would refuse some paths. The service has its own errors for them.
    rewriteUrl: () => '/',
    // The route has no schemas. Without these, Fastify loads compilers for them, which are a fifth of the code that a server loads.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  });
  // `Connections` enforces the time limits. The timers of Node.js would cost each request time.
  Object.assign(app.server, { keepAliveTimeout: 0, headersTimeout: 0 });
  connections.watch(app.server);
  rereadUpgrades(app.server, connections);
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  // The service reads the bodies, because it must authenticate the sender first.
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  app.route({
    method: methods,
    url: '/',
    handler: (incoming: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      const { raw, originalUrl } = incoming;
      raw.url = originalUrl;
      // Everything after this takes the host from the header.
      if (!originalUrl.startsWith('/')) raw.headers.host = namedHost(originalUrl, raw.headers.host);
      void respond(raw, reply.raw);
    },
  });

  const answerer: Answerer = { service, hosts, logger, ...(explainer && { explainer }) };

  /** Answers a request, when its connection lets it begin. */
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = connections.of(request.socket);
    const begun = connection.begin(response);
    if (begun !== true && !(await begun)) return;
    try {
      if (reserved && isReserved(request.url ?? '')) await reserved.answer(request, response);
      else {
        const exchange = openExchange(request, response, connection, service);
        if (keepsBodies) exchange.bodies = new KeptBodies();
        // Not writes: the store ends them in groups, and their clients would only wait longer.
        exchange.isGrouped = groupsReads && request.method === 'GET';
        const started = performance.now();
        await answer(answerer, exchange);
        whenSent(request.socket, (sentAt) => end(exchange, sentAt - started));
      }
    } catch (error) {
      logger.error({ err: error }, 'a request could not be answered at all');
      response.destroy();
    }
    connection.end(response);
  }

  /** Tells the observers of a request that was answered, or whose client has left. */
  function end(exchange: Exchange, durationMs: number): void {
    exchange.durationMs = durationMs;
    exchange.status ||= clientGoneStatus;
    try {
      for (const observe of observers) observe(exchange);
    } catch (error) {
      logger.error({ err: error, requestId: exchange.requestId }, 'an observer failed');
    }
  }

  return {
    app,
    async stop() {
      const closed = app.close();
      await connections.settled();
      // Connections that are idle, or never sent anything, would keep the server open without a limit.
      connections.close();
      app.server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Returns the options of the server of Node.js. Its own time limits matter for the second server that Fastify starts for
 * `localhost`: `Connections` tracks the connections of that one only after their first request.
 */
function nodeOptions({ headersMs, keepAliveMs }: ConnectionBounds, tls: TlsOptions | undefined) {
  const http = {
    maxHeaderSize: headerBytesMax,
    requireHostHeader: false,
    // A request without a body then has no events of one. Older versions of Node.js ignore it.
    optimizeEmptyRequests: true,
    headersTimeout: headersMs,
    requestTimeout: headersMs,
  };
  const https = headersMs === 0 ? http : { ...http, handshakeTimeout: headersMs };
  return { keepAliveTimeout: keepAliveMs, ...(tls ? { https: { ...tls, ...https } } : { http }) };
}

/** Returns what a request is refused with. A write of unknown outcome times out, which tells clients exactly that. */
function errorOf(error: unknown): TableError {
  if (error instanceof TableError) return error;
  if (!(error instanceof StoreUnavailable)) return new TableError('InternalError');
  return new TableError(error.outcome === 'unknown' ? 'OperationTimedOut' : 'ServerBusy');
}

/** Returns the form of an error that occurs before the form of the answer is negotiated. */
function representationOfEarlyError({ accept, dialect }: Exchange): Representation {
  return formatOfEarlyError(accept, dialect.requests.speaksAtom) === 'atom' ? atomOfErrors : jsonOfErrors;
}

/** What a request is answered with. */
type Answerer = Required<Pick<AppOptions, 'service' | 'hosts' | 'logger'>> & Pick<AppOptions, 'explainer'>;

async function answer({ service, hosts, explainer, logger }: Answerer, exchange: Exchange): Promise<void> {
  try {
    hosts.check(exchange.request.headers);
    const answered = await service.answer(exchange);
    noteEntities(exchange, answered);
    if (explainer && exchange.failedPart) explainTo(exchange, noteExplanation, explainer, logger);
    else if (explainer && asksForExplanation(exchange)) explainTo(exchange, noteCost, explainer, logger);
    const written = writeAnswer(exchange, answered);
    if (written) await written;
  } catch (error) {
    if (error instanceof ClientGone || exchange.response.destroyed) return;
    if (!(error instanceof TableError)) logger.error({ err: error, requestId: exchange.requestId }, 'request failed');
    const refusal = errorOf(error);
    exchange.refusal = refusal;
    if (exchange.operation === undefined) exchange.representation = representationOfEarlyError(exchange);
    if (explainer) explainTo(exchange, noteExplanation, explainer, logger);
    if (exchange.response.headersSent || exchange.response.writableEnded) exchange.response.destroy();
    else writeError(exchange, refusal, new Date(exchange.now()));
  }
}

/** Notes how many entities were read for an answer, and how many it has. */
function noteEntities(exchange: Exchange, answered: ServiceAnswer): void {
  if (answered.kind === 'entity') {
    exchange.entitiesRead = 1;
    exchange.entitiesReturned = 1;
  } else if (answered.kind === 'entities') {
    const { page } = answered;
    exchange.entitiesRead = page.examined;
    exchange.entitiesReturned = page.rows.length;
    exchange.continues = page.next !== undefined;
    exchange.asked = answered.asked;
  } else if (answered.kind === 'table-created') {
    // The request names it in its body only.
    exchange.resource = { kind: 'table', table: answered.name };
  }
}

/** Notes an explanation. An error in it is logged, and the answer stays the same. */
function explainTo(
  exchange: Exchange,
  note: typeof noteExplanation | typeof noteCost,
  explainer: RequestExplainer,
  logger: FastifyBaseLogger,
): void {
  try {
    note(exchange, explainer);
  } catch (error) {
    logger.error({ err: error, requestId: exchange.requestId }, 'a request could not be explained');
  }
}
