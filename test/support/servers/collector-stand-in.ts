import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as OTLP/JSON has it, with its attributes as an object. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The attributes of the program that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

type SentSpan = Omit<ReceivedSpan, 'attributes' | 'resource'> & { readonly attributes: readonly KeyValue[] };

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/**
 * Starts a server that receives spans as a collector of OpenTelemetry does: POST to /v1/traces. With a status other than 200 it
 * rejects them. Source: OpenTelemetry, OTLP over HTTP.
 */
export async function startCollector(status = 200) {
  const spans: ReceivedSpan[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer(async (request, answer) => {
    const body = await text(request);
    if (request.url !== '/v1/traces' || request.method !== 'POST') answer.writeHead(404).end();
    else if (request.headers['content-type'] !== 'application/json') answer.writeHead(415).end();
    else {
      headers.push(request.headers);
      if (status === 200) spans.push(...readSpans(JSON.parse(body)));
      answer.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    close: () => server.closeAllConnections() ?? server.close(),
  };
}

function readSpans({ resourceSpans }: Export): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: toObject(span.attributes),
        resource: toObject(resource.attributes),
      })),
    ),
  );
}

function toObject(pairs: readonly KeyValue[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
