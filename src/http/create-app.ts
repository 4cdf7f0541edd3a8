import { METHODS } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { TableError } from '../protocol/errors.js';
import { headerBytesMax } from '../protocol/limits.js';
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

/**
 * The HTTP server. Fastify has one route for everything: paths are signed and parsed as they were sent, and bodies are
 * read by the service, which first asks who sends them.
 */
export function createApp({ service, logger, keepAliveMs, logRequests, tls }: AppOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: 'idle',
    keepAliveTimeout: keepAliveMs,
    ...(tls
      ? { https: { ...tls, maxHeaderSize: headerBytesMax, requireHostHeader: false } }
      : { http: { maxHeaderSize: headerBytesMax, requireHostHeader: false } }),
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
      incoming.raw.url = incoming.originalUrl;
      const exchange = openExchange(incoming.raw, reply.raw);
      const started = logRequests ? performance.now() : 0;
      await answer(service, exchange, logger);
      if (logRequests) logRequest(exchange, logger, performance.now() - started);
    },
  });
  return app;
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

function logRequest(exchange: Exchange, logger: FastifyBaseLogger, ms: number): void {
  const { request, response, requestId, operation } = exchange;
  const path = request.url?.replace(/([?&]sig=)[^&]*/gi, '$1…');
  logger.info(
    { requestId, method: request.method, path, operation, status: response.statusCode, ms: Math.round(ms * 10) / 10 },
    'request',
  );
}
