import { anyHeader } from '../protocol/header-fields.js';
import type { RequestExplainer } from '../service/explain.js';
import type { RequestObserver } from '../service/observe.js';
import { ownVersion } from '../version.js';
import {
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
import { readSpanFacts } from './span-facts.js';

/** The traces of a server. */
export interface Traces {
  /** Makes a span of each request. */
  readonly observe: RequestObserver;
  /** Sends the last spans, unless the collector takes longer than a second. */
  close(): Promise<void>;
}

/** How long a server that stops waits for the collector. Our choice: a stop should not look hung. Unit: milliseconds. */
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
