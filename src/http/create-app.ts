import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import { TableError } from '../protocol/errors.js';
import { frontEndServerName } from '../protocol/headers.js';
import { headerBytesMax } from '../protocol/limits.js';
import { ActiveRequests } from './active-requests.js';
import { AllowedHosts } from './allowed-hosts.js';
import { type Exchange, openExchange } from './exchange.js';
import { logRequest } from './log-request.js';
import { RequestMetrics } from './metrics.js';
import { isOwnPath, OperationsEndpoints, type StoreProbe } from './operations-endpoints.js';
import { ClientGone } from './read-body.js';
import type { TableService } from './table-service.js';
import type { TlsOptions } from './tls.js';
import { writeAnswer } from './write-answer.js';
import { writeError } from './write-error.js';

/** What the HTTP server is made of. */
export interface AppOptions {
  readonly service: TableService;
  /** What health and metrics say of the store; absent: it is well and caches nothing. */
  readonly store?: StoreProbe;
  /** The hosts that browsers may use; absent: those that are always allowed. */
  readonly hosts?: AllowedHosts;
  readonly logger: FastifyBaseLogger;
  /** How long an idle connection is kept. Unit: milliseconds. */
  readonly keepAliveMs: number;
  /** Whether each request is logged. */
  readonly logRequests: boolean;
  /** Serve HTTPS with this certificate. */
  readonly tls: TlsOptions | undefined;
}

/** An HTTP server and how it is stopped. */
export interface App {
  readonly app: FastifyInstance;
  /** Takes no more connections, answers what is under way, and ends the rest. */
  stop(): Promise<void>;
}

/** What log and metrics call the end of a request whose client did not wait for the answer. */
const clientGoneStatus = 499;

const wellStore: StoreProbe = { answers: () => true, cacheBytes: () => 0 };

/**
 * The HTTP server. Fastify has one route for everything: paths are signed and parsed as they were sent, and bodies are
 * read by the service, which first asks who sends them.
 */
export function createApp({
  service,
  store = wellStore,
  hosts = new AllowedHosts([]),
  logger,
  keepAliveMs,
  logRequests,
  tls,
}: AppOptions): App {
  const active = new ActiveRequests();
  const metrics = new RequestMetrics();
  const endpoints = new OperationsEndpoints(metrics, store, hosts);
  const app = fastify({
    // What there is to say of a request is said here; Fastify's own logger would cost every request two listeners.
    logger: false,
    // A request that comes while the server stops is answered like any other.
    return503OnClosing: false,
    keepAliveTimeout: keepAliveMs,
    ...(tls
      ? { https: { ...tls, maxHeaderSize: headerBytesMax, requireHostHeader: false } }
      : { http: { maxHeaderSize: headerBytesMax, requireHostHeader: false } }),
    clientErrorHandler: refuseUnreadable,
    // The router would refuse paths that the service answers in its own words.
    rewriteUrl: () => '/',
  });
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  // Bodies are left to the service: it must not read one before it knows the sender.
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  app.route({
    method: methods,
    url: '/',
    handler: async (incoming: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      active.begin();
      incoming.raw.url = incoming.originalUrl;
      try {
        if (isOwnPath(incoming.originalUrl)) await endpoints.answer(incoming.raw, reply.raw);
        else await serve(openExchange(incoming.raw, reply.raw));
      } catch (error) {
        logger.error({ err: error }, 'a request could not be answered at all');
        reply.raw.destroy();
      }
      active.end(reply.raw);
    },
  });

  /** Answers a request of the service, counts it and, where that is asked for, logs it. */
  async function serve(exchange: Exchange): Promise<void> {
    const { response } = exchange;
    const started = performance.now();
    await answer(service, hosts, exchange, logger);
    const ms = performance.now() - started;
    const status = response.headersSent ? response.statusCode : clientGoneStatus;
    metrics.observe(exchange.operation, status, ms);
    if (logRequests) logRequest(exchange, logger, status, ms);
  }

  return {
    app,
    async stop() {
      endpoints.stopping = true;
      const closed = app.close();
      await active.settled();
      // Connections that are idle, or never sent anything, would keep the server for as long as they like.
      app.server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Answers what is no HTTP, as far as the parser got. Nothing is known of such a request, so it is refused as the HTTP
 * layer in front of the service does: plainly, and saying that the connection ends, lest a client use it again.
 */
function refuseUnreadable(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW' ? [431, 'Request Header Fields Too Large'] : [400, 'Bad Request'];
  const body = `<h2>${reason}</h2>\r\n`;
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/html; charset=us-ascii\r\nServer: ${frontEndServerName}`;
  socket.end(`${head}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
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
    exchange.refusal = refusal.code;
    if (exchange.response.headersSent) exchange.response.destroy();
    else writeError(exchange, refusal, new Date());
  }
}
