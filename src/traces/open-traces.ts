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
  /** Creates a span for each request. */
  readonly observe: RequestObserver;
  /** Sends the last spans, unless the collector takes longer than a second. */
  close(): Promise<void>;
}

/** How long a stopping server waits for the collector. Unit: milliseconds. (Our choice: a stop should not look hung.) */
const lastSpansMs = 1000;

/** The headers of the W3C Trace Context. */
const contextHeaders = ['traceparent', 'tracestate'];

/**
 * Sends a span for each request over OTLP. The standard variables of OpenTelemetry set address, headers, service name, sampling
 * and batch size. `report` receives the reasons for failures.
 *
 * A span is a child of the one in `traceparent`. Spans are created when requests end, so they delay no request.
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

/** Returns the reason for an error on one line. A host with several addresses has an error for each. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return reason.replaceAll(/\s+/g, ' ');
}

interface SpanFacts {
  readonly name: string;
  readonly attributes: Attributes;
  /** Whether the server failed. A rejected request is not a failure of the server. */
  readonly isError: boolean;
}

/** Methods with a name in the conventions; others are `_OTHER`. */
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

/** Patterns of targets. They omit names and keys, so there are few. */
const routes: Readonly<Record<Resource['kind'], string>> = {
  service: '/',
  batch: '/$batch',
  metadata: '/$metadata',
  tables: '/Tables',
  table: '/Tables({table})',
  entities: '/{table}',
  entity: '/{table}({key})',
};

/** Longest client value in an attribute. Unit: UTF-16 code units. (Our choice: as in the log.) */
const valueUnitsMax = 2048;

/**
 * Returns the name and the attributes of a request's span, without secrets.
 *
 * Source: OpenTelemetry, HTTP server spans. Names with `azure.` are in development there; those with `tabularium.` are ours.
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
  // The tracer skips undefined attributes.
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
