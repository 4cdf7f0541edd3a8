import type { IncomingMessage } from 'node:http';

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  /** The reason phrase. */
  readonly reason: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers in written order, with names as written. */
  readonly rawHeaders: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The parsed body, or an empty object if it is not a JSON object. */
  readonly json: JsonObject;
  /** The rows of a set. Empty if the answer is not a set. */
  readonly rows: readonly JsonObject[];
  /** The headers of the request, by lower-case name. */
  readonly sent: Readonly<Record<string, string>>;
  readonly method: string;
}

/** Reads a response to its end. */
export async function readAnswer(response: IncomingMessage, request: Pick<Answer, 'sent' | 'method'>): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const rawHeaders = pairsOf(response.rawHeaders);
  const json = parseJson(body);
  return {
    ...request,
    status: response.statusCode ?? 0,
    reason: response.statusMessage ?? '',
    headers: Object.fromEntries(rawHeaders.map(([name, value]) => [name.toLowerCase(), value])),
    rawHeaders,
    body,
    json,
    rows: Array.isArray(json['value']) ? json['value'] : [],
  };
}

function pairsOf(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return pairs;
}

function parseJson(body: string): JsonObject {
  if (!body.startsWith('{')) return {};
  try {
    return JSON.parse(body) as JsonObject;
  } catch {
    return {};
  }
}
