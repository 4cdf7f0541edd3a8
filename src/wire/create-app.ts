import { once } from 'node:events';
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { namedHost } from '../address/request-target.js';
import type { DialectName } from '../protocol/access/accounts.js';
import type { HeaderFields } from '../protocol/header-fields.js';
import { headBytesMax } from '../protocol/limits.js';
import type { Sink } from '../service/gate.js';
import { keepBodies, type RequestObserver, recordOf, type SentFacts } from '../service/observe.js';
import type { Outcome } from '../service/outcome.js';
import { serve } from '../service/serve.js';
import type { RequestIds, Service } from '../service/service.js';
import type { Received } from '../service/stages.js';
import type { TlsOptions } from '../tls/read-certificate.js';
import { AnswerGroups } from './answers/answer-groups.js';
import { ResponseSink } from './answers/response-sink.js';
import { OutcomeSender } from './answers/send-outcome.js';
import type { Connection, ConnectionBounds } from './connections/connection.js';
import { Connections, readConnectionsMax } from './connections/connections.js';
import { rejectUnreadable } from './connections/reject-connection.js';
import { rereadTarget, rereadUpgrades } from './connections/reread-request.js';
import { listenedAddresses } from './listened-addresses.js';
import { readBody } from './read-body.js';
import { isReserved, type ReservedEndpoints } from './reserved-endpoints.js';

interface AppOptions {
  readonly service: Service;
  /** Answers the requests whose path is reserved; absent: the service rejects them like any unknown path. */
  readonly reserved?: ReservedEndpoints;
  /** Receives the errors of the server itself. */
  readonly logger: { error(fields: object, message: string): void };
  readonly bounds: ConnectionBounds;
  /** Whether the observers receive the bodies. Absent: false. */
  readonly keepsBodies?: boolean;
  /** Whether answers to reads may wait for each other, for a store that answers most reads at once. Absent: false. */
  readonly groupsReads?: boolean;
  /** Notified of each finished request, in this order; absent: none. */
  readonly observers?: readonly RequestObserver[];
  /** Serve HTTPS with this certificate. */
  readonly tls: TlsOptions | undefined;
}

/** An HTTP server. */
export interface App {
  readonly app: FastifyInstance;
  /** Stops the server: accepts no more connections, answers the requests in flight, closes all other connections. */
  stop(): Promise<void>;
}

/** Replaces the compilers of schemas, which no route has. */
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
  logger,
  bounds,
  keepsBodies = false,
  groupsReads = false,
  observers = [],
  tls,
}: AppOptions): App {
  const groups = new AnswerGroups();
  const connections = new Connections(bounds, readConnectionsMax(), groups);
  // Not writes: the store commits them in groups, and their clients would only wait longer.
  const sender = new OutcomeSender(service.now, groupsReads ? groups : undefined);
  const app = fastify({
    // Observers log requests. Fastify's own logger would cost every request two listeners.
    logger: false,
    // A request that arrives while the server stops is answered like any other.
    return503OnClosing: false,
    ...nodeOptions(bounds, tls),
    clientErrorHandler: (error, socket) => {
      if (!rereadTarget(app.server, error, socket, connections)) rejectUnreadable(error, socket, connections);
    },
    // The router would reject some paths. The service has its own errors for them.
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

  /** Answers a request, when its connection lets it begin. */
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = connections.of(request.socket);
    const begun = connection.begin(response);
    if (begun !== true && !(await begun)) return;
    try {
      const { url = '' } = request;
      // No name of an account begins with `_`, and nearly all targets are paths.
      const mayBeReserved = url.charCodeAt(1) === 0x5f || url.charCodeAt(0) !== 0x2f;
      if (reserved && mayBeReserved && isReserved(url)) await reserved.answer(request, response);
      else {
        const started = performance.now();
        const received = new HttpReceived(request, response, connection, service.ids);
        const outcome = await serve(service, received);
        // The memory of a page is reused once it is sent.
        const bodies = keepsBodies ? keepBodies(outcome) : undefined;
        const answerBytes = outcome.isGone ? 0 : sender.send(outcome, request, response);
        observe(outcome, { durationMs: performance.now() - started, answerBytes, bodies });
      }
    } catch (error) {
      logger.error({ err: error }, 'a request could not be answered at all');
      response.destroy();
    }
    connection.end(response);
  }

  /** Notifies the observers of a finished request. */
  function observe(outcome: Outcome, sent: SentFacts): void {
    if (observers.length === 0) return;
    const record = recordOf(outcome, sent);
    try {
      for (const tell of observers) tell(record);
    } catch (error) {
      logger.error({ err: error, requestId: record.requestId }, 'an observer failed');
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

/** Returns the options of the server of Node.js. `Connections` enforces the other time limits. */
function nodeOptions({ headersMs }: ConnectionBounds, tls: TlsOptions | undefined) {
  const http = {
    maxHeaderSize: headBytesMax,
    requireHostHeader: false,
    // A request without a body then has no events of one. Older versions of Node.js ignore it.
    optimizeEmptyRequests: true,
  };
  return tls ? { https: { ...tls, ...http, ...(headersMs > 0 && { handshakeTimeout: headersMs }) } } : { http };
}

class HttpReceived implements Received {
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderFields;
  readonly scheme: 'http' | 'https';
  readonly httpVersion: string;
  readonly caller: string;
  readonly connection: object;
  readonly number: number;
  readonly id: string;

  constructor(message: IncomingMessage, response: ServerResponse, { scheme, caller }: Connection, ids: RequestIds) {
    this.#message = message;
    this.#response = response;
    this.method = message.method ?? '';
    this.target = message.url ?? '/';
    // Node.js joins these headers if they are repeated.
    this.headers = message.headers as HeaderFields;
    this.scheme = scheme;
    this.httpVersion = message.httpVersion;
    this.caller = caller;
    this.connection = message.socket;
    this.number = ids.next();
    this.id = ids.write(this.number);
  }

  get arrivedAt(): string {
    const { localAddress, localPort } = this.#message.socket;
    return `${localAddress}:${localPort}`;
  }

  readBody(): Promise<Buffer> {
    return readBody(this.#message);
  }

  isGone(): boolean {
    return this.#response.destroyed;
  }

  openSink(): Sink {
    return new ResponseSink(this.#response);
  }
}

/** A port on which a service answers. */
export interface Listener {
  readonly speaks: DialectName;
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  stop(): Promise<void>;
}

interface ListenPlace {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
}

interface ListenOptions extends AppOptions {
  readonly logger: AppOptions['logger'] & { warn(message: string): void };
}

/** Maximum number of attempts to find a port that is free at both addresses of this machine. (Our choice.) */
const triesMax = 5;

/** Whether an error means that this machine does not have an address. */
function isMissingAddress(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:EADDRNOTAVAIL|EAFNOSUPPORT)$/.test(String(error.code));
}

/**
 * Listens on a port. If another program has the port at the second address, a given port is served at the first one alone, with a
 * warning in the log; for port 0 another one is tried. Errors: a system error if the port is in use.
 */
export async function listen(options: ListenOptions, place: ListenPlace, tries = triesMax): Promise<Listener> {
  const { app, stop } = createApp(options);
  const [host, second] = listenedAddresses(place.host);
  await app.listen({ host, port: place.port });
  const { port } = app.server.address() as AddressInfo;
  let other: Server | undefined;
  try {
    other = second === undefined ? undefined : await listenAlso(app.server, { host: second, port }, options.tls);
  } catch (error) {
    if (place.port === 0 && tries > 1 && !isMissingAddress(error)) {
      await stop();
      return listen(options, place, tries - 1);
    }
    if (!isMissingAddress(error)) options.logger.warn(explainMissing(error, port));
  }
  const named = place.host.includes(':') ? `[${place.host}]` : place.host;
  return {
    speaks: options.service.dialect.name,
    url: `${options.tls ? 'https' : 'http'}://${named}:${port}`,
    async stop() {
      const closed = other && once(other.close(), 'close');
      await stop();
      await closed;
    },
  };
}

/** Lets a server answer at another address, too: the connections that arrive there are its own. */
async function listenAlso(server: Server, place: ListenPlace, tls: AppOptions['tls']): Promise<Server> {
  // As Node.js creates its servers for HTTP and HTTPS.
  const other = createServer({ allowHalfOpen: tls === undefined, noDelay: true });
  other.on('connection', (socket) => server.emit('connection', socket));
  await once(other.listen(place), 'listening');
  return other;
}

function explainMissing(error: unknown, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  return `[::1]:${port} is not served (${code}). Clients that take ::1 for localhost do not reach this server. Use 127.0.0.1.`;
}
