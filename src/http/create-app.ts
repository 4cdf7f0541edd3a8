import { METHODS } from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { TableError } from '../protocol/errors.js';
import { headerBytesMax } from '../protocol/limits.js';
import { AllowedHosts } from './allowed-hosts.js';
import type { ConnectionBounds } from './connection.js';
import { Connections } from './connections.js';
import { readConnectionsMax } from './connections-max.js';
import { type Exchange, openExchange } from './exchange.js';
import { ClientGone } from './read-body.js';
import type { TlsOptions } from './read-certificate.js';
import { refuseUnreadable } from './refuse-connection.js';
import type { RequestObserver } from './request-record.js';
import { rereadTarget } from './reread-target.js';
import { rereadUpgrades } from './reread-upgrade.js';
import { isReserved, type ReservedEndpoints } from './reserved-endpoints.js';
import type { TableService } from './table-service.js';
import { writeAnswer } from './write-answer.js';
import { writeError } from './write-error.js';

/** What the HTTP server is made of. */
export interface AppOptions {
  readonly service: TableService;
  /** Answers the requests whose path is reserved; absent: the service refuses them like any unknown path. */
  readonly reserved?: ReservedEndpoints;
  /** The hosts that browsers may use; absent: those that are always allowed. */
  readonly hosts?: AllowedHosts;
  readonly logger: FastifyBaseLogger;
  /** How long clients may keep the server waiting. */
  readonly bounds: ConnectionBounds;
  /** Hear of each request of the service when it ends, in this order; absent: none. */
  readonly observers?: readonly RequestObserver[];
  /** Serve HTTPS with this certificate. */
  readonly tls: TlsOptions | undefined;
}

/** An HTTP server and how it is stopped. */
export interface App {
  readonly app: FastifyInstance;
  /** Takes no more connections, answers what is under way, and ends the rest. */
  stop(): Promise<void>;
}

/** The status of a request whose client left before its answer was sent. */
const clientGoneStatus = 499;

/**
 * The HTTP server. Fastify has one route for everything: paths are signed and parsed as they were sent, and bodies are
 * read by the service, which first asks who sends them.
 */
export function createApp({
  service,
  reserved,
  hosts = new AllowedHosts([]),
  logger,
  bounds,
  observers = [],
  tls,
}: AppOptions): App {
  const connections = new Connections(bounds, readConnectionsMax());
  const app = fastify({
    // What there is to say of a request is said here; Fastify's own logger would cost every request two listeners.
    logger: false,
    // A request that comes while the server stops is answered like any other.
    return503OnClosing: false,
    ...nodeOptions(bounds, tls),
    clientErrorHandler: (error, socket) => {
      if (!rereadTarget(app.server, error, socket, connections)) refuseUnreadable(error, socket, connections);
    },
    // The router would refuse paths that the service answers in its own words.
    rewriteUrl: () => '/',
  });
  // `Connections` keeps to the bounds; the timers of Node.js would cost each request.
  Object.assign(app.server, { keepAliveTimeout: 0, headersTimeout: 0 });
  connections.watch(app.server);
  rereadUpgrades(app.server, connections);
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  // Bodies are left to the service: it must not read one before it knows the sender.
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  app.route({
    method: methods,
    url: '/',
    handler: async (incoming: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      const connection = connections.of(incoming.raw.socket);
      const begun = connection.begin(reply.raw);
      if (begun !== true && !(await begun)) return;
      incoming.raw.url = incoming.originalUrl;
      try {
        if (reserved && isReserved(incoming.originalUrl)) await reserved.answer(incoming.raw, reply.raw);
        else await serve(openExchange(incoming.raw, reply.raw));
      } catch (error) {
        logger.error({ err: error }, 'a request could not be answered at all');
        reply.raw.destroy();
      }
      connection.end(reply.raw);
    },
  });

  /** Answers a request of the service and tells the observers. */
  async function serve(exchange: Exchange): Promise<void> {
    if (observers.length === 0) return answer(service, hosts, exchange, logger);
    const { response } = exchange;
    const started = performance.now();
    await answer(service, hosts, exchange, logger);
    exchange.durationMs = performance.now() - started;
    exchange.status = response.headersSent ? response.statusCode : clientGoneStatus;
    for (const observe of observers) observe(exchange);
  }

  return {
    app,
    async stop() {
      const closed = app.close();
      await connections.settled();
      // Connections that are idle, or never sent anything, would keep the server for as long as they like.
      connections.close();
      app.server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * The options of Node's server. Its own bounds are those of the second server that Fastify starts for `localhost`, whose
 * connections are only followed once they have sent a request.
 */
function nodeOptions({ headersMs, keepAliveMs }: ConnectionBounds, tls: TlsOptions | undefined) {
  const http = {
    maxHeaderSize: headerBytesMax,
    requireHostHeader: false,
    headersTimeout: headersMs,
    requestTimeout: headersMs,
  };
  const https = headersMs === 0 ? http : { ...http, handshakeTimeout: headersMs };
  return { keepAliveTimeout: keepAliveMs, ...(tls ? { https: { ...tls, ...https } } : { http }) };
}

async function answer(
  service: TableService,
  hosts: AllowedHosts,
  exchange: Exchange,
  logger: FastifyBaseLogger,
): Promise<void> {
  try {
    hosts.check(exchange.request.headers);
    writeAnswer(exchange, await service.answer(exchange));
  } catch (error) {
    if (error instanceof ClientGone || exchange.response.destroyed) return;
    if (!(error instanceof TableError)) logger.error({ err: error, requestId: exchange.requestId }, 'request failed');
    const refusal = error instanceof TableError ? error : new TableError('InternalError');
    exchange.refusal = refusal;
    if (exchange.response.headersSent) exchange.response.destroy();
    else writeError(exchange, refusal, new Date());
  }
}
