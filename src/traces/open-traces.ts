import type { Resource } from '../address/resource.js';
import { anyHeader } from '../protocol/header-fields.js';
import { redactSecrets } from '../protocol/redact-secrets.js';
import type { RequestExplainer } from '../service/explain.js';
import type { RequestObserver, RequestRecord } from '../service/observe.js';
import { ownVersion } from '../version.js';
import {
  type Attributes,
  BasicTracerProvider,
  BatchSpanProcessor,
  detectResources,
  envDetector,
  OTLPTraceExporter,
  ROOT_CONTEXT,
  resourceFromAttributes,
  SpanKind,
  SpanStatusCode,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from './opentelemetry.js';

/** The traces of a server. */
export interface Traces {
  /** Makes a span of each request. */
  readonly observe: RequestObserver;
  /** Sends the last spans, unless the collector takes longer than a second. */
  close(): Promise<void>;
}

/** How long a server that stops waits for the collector. (Our choice: a stop should not look hung.) Unit: milliseconds. */
const lastSpansMs = 1000;

/** The headers of the W3C Trace Context. */
const contextHeaders = ['traceparent', 'tracestate'];

/**
 * Sends a span of each request over OTLP, as the standard variables of OpenTelemetry say: address, headers, name of the
 * service, sampling, size of batches. `report` gets the reasons why they could not be sent.
 *
 * A span is the child of the one in `traceparent`. Spans are made when requests end, so requests wait for nothing.
 */
export function openTraces(explainer: RequestExplainer | undefined, report: (reason: string) => void): Traces {
  const reportError = (error: unknown) => report(reasonOf(error));
  setGlobalErrorHandler(reportError);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'tabularium', 'service.version': ownVersion() }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('tabularium', ownVersion());
  const propagator = new W3CTraceContextPropagator();
  const getter = {
    keys: () => contextHeaders,
    get: anyHeader,
  };
  return {
    observe(record) {
      const endTime = performance.timeOrigin + performance.now();
      const parent = propagator.extract(ROOT_CONTEXT, record.request.headers, getter);
      const { name, attributes, isError } = readSpanFacts(record, explainer);
      const startTime = endTime - record.durationMs;
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime, attributes }, parent);
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endTime);
    },
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, lastSpansMs).unref());
      await Promise.race([provider.shutdown().catch(reportError), late]);
    },
  };
}

/** Returns the reason of an error in one line. A name with several addresses has an error for each. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return reason.replaceAll(/\s+/g, ' ');
}

/** The name and attributes of a request's span. */
interface SpanFacts {
  readonly name: string;
  readonly attributes: Attributes;
  /** Whether the server failed. A rejected request is not a failure of the server. */
  readonly isError: boolean;
}

/** The methods that have a name in the conventions; others are `_OTHER`. */
const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'CONNECT',
  'TRACE',
]);

/** The forms of targets, without names and keys, so that there are few. */
const routes: Readonly<Record<Resource['kind'], string>> = {
  service: '/',
  batch: '/$batch',
  metadata: '/$metadata',
  tables: '/Tables',
  table: '/Tables({table})',
  entities: '/{table}',
  entity: '/{table}({key})',
};

/** Longest value of a client in an attribute. Unit: UTF-16 code units. (Our choice: as in the log.) */
const valueUnitsMax = 2048;

/**
 * Returns the name and the attributes of a request's span. Secrets of the target are redacted.
 *
 * Source: OpenTelemetry, HTTP server spans. The names that begin with `azure.` are in
 * development there; those that begin with `tabularium.` are ours.
 */
function readSpanFacts(record: RequestRecord, explainer: RequestExplainer | undefined): SpanFacts {
  const { request, resource, status, rejection, failedPart, explanation, operation, fault } = record;
  const { method, target, httpVersion, scheme, caller } = request;
  const { host, 'user-agent': userAgent } = request.headers;
  const isKnown = methods.has(method);
  // The body of Create Table names the table; the target does not.
  const route = operation === 'Create Table' ? routes.tables : resource && routes[resource.kind];
  const [path = '', query] = target.split(/\?(.*)/s);
  const isError = status >= 500;
  const queryClass = explainer?.classOf(record);
  const { hostname, port } = readHost(host);
  // The tracer skips those that are undefined.
  const attributes: Attributes = {
    'http.request.method': isKnown ? method : '_OTHER',
    'http.request.method_original': isKnown ? undefined : shown(method),
    'url.scheme': scheme,
    'url.path': shown(path),
    'url.query': query ? shown(query) : undefined,
    'http.route': route,
    'http.response.status_code': status,
    'server.address': hostname,
    'server.port': port,
    'client.address': caller,
    'network.protocol.version': httpVersion,
    'user_agent.original': userAgent === undefined ? undefined : shown(userAgent),
    'error.type': (rejection ?? failedPart?.rejection)?.code ?? (isError ? String(status) : undefined),
    'azure.resource_provider.namespace': 'Microsoft.Storage',
    'azure.service.request.id': record.requestId,
    'tabularium.operation': operation,
    'tabularium.why': explanation && [explanation.text, explanation.advice ?? ''].join(' ').trimEnd(),
    'tabularium.query.class': queryClass,
    'tabularium.entities.read': queryClass === undefined ? undefined : record.entitiesRead,
    'tabularium.entities.returned': queryClass === undefined ? undefined : record.entitiesReturned,
    'tabularium.continues': record.continues ? true : undefined,
    'tabularium.fault': fault,
  };
  return {
    name: [isKnown ? method : 'HTTP', route].filter(Boolean).join(' '),
    attributes,
    isError,
  };
}

function readHost(host: string | undefined): { hostname: string | undefined; port: number | undefined } {
  const [, hostname, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(host ?? '') ?? [];
  return { hostname: hostname ? shown(hostname) : undefined, port: port === undefined ? undefined : Number(port) };
}

function shown(text: string): string {
  return redactSecrets(text.length > valueUnitsMax ? `${text.slice(0, valueUnitsMax)}…` : text);
}
