import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { TableError } from '../protocol/errors.js';
import { frontEndServerName } from '../protocol/headers.js';
import { headerBytesMax } from '../protocol/limits.js';
import { ActiveRequests } from './active-requests.js';
import { type Exchange, openExchange } from './exchange.js';
import { ClientGone } from './read-body.js';
import type { TableService } from './table-service.js';
import type { TlsOptions } from './tls.js';
import { writeAnswer } from './write-answer.js';
import { writeError } from './write-error.js';

/** What the HTTP server is made of. */
export interface AppOptions {
  readonly service: TableService;
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

/**
 * The HTTP server. Fastify has one route for everything: paths are signed and parsed as they were sent, and bodies are
 * read by the service, which first asks who sends them.
 */
export function createApp({ service, logger, keepAliveMs, logRequests, tls }: AppOptions): App {
  const active = new ActiveRequests();
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A request that comes while the server stops is answered like any other.
    return503OnClosing: false,
    keepAliveTimeout: keepAliveMs,
    ...(tls
      ? { https: { ...tls, maxHeaderSize: headerBytesMax, requireHostHeader: false } }
      : { http: { maxHeaderSize: headerBytesMax, requireHostHeader: false } }),
    // One logger for all: a child for each request would cost more than what it says.
    childLoggerFactory: (parent) => parent,
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
      active.begin(reply.raw);
      incoming.raw.url = incoming.originalUrl;
      const exchange = openExchange(incoming.raw, reply.raw);
      const started = logRequests ? performance.now() : 0;
      await answer(service, exchange, logger);
      if (logRequests) logRequest(exchange, logger, performance.now() - started);
    },
  });
  return {
    app,
    async stop() {
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

async function answer(service: TableService, exchange: Exchange, logger: FastifyBaseLogger): Promise<void> {
  try {
    writeAnswer(exchange, await service.answer(exchange));
  } catch (error) {
    if (error instanceof ClientGone || exchange.response.destroyed) return;
    if (!(error instanceof TableError)) logger.error({ err: error, requestId: exchange.requestId }, 'request failed');
    const refusal = error instanceof TableError ? error : new TableError('InternalError');
    if (exchange.response.headersSent) exchange.response.destroy();
    else writeError(exchange, refusal, new Date());
  }
}

/** A request target without its signature, however the name of the parameter is spelled. */
function redactSignature(url: string): string {
  const queryAt = url.indexOf('?');
  if (queryAt < 0) return url;
  const pairs = url.slice(queryAt + 1).split('&');
  const redacted = pairs.map((pair) => {
    const name = pair.split('=', 1)[0] ?? '';
    return /^sig$/i.test(decodeName(name)) ? `${name}=…` : pair;
  });
  return `${url.slice(0, queryAt)}?${redacted.join('&')}`;
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name).trim();
  } catch {
    // What cannot be decoded is refused before it could be a signature.
    return name;
  }
}

function logRequest(exchange: Exchange, logger: FastifyBaseLogger, ms: number): void {
  const { request, response, requestId, operation } = exchange;
  const path = redactSignature(request.url ?? '');
  logger.info(
    { requestId, method: request.method, path, operation, status: response.statusCode, ms: Math.round(ms * 10) / 10 },
    'request',
  );
}
