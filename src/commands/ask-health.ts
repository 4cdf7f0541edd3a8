import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { reachedHost } from './connection-strings.js';

/** What answers where a server should. */
export type Answerer =
  /** A server of ours, and whether it serves requests. */
  | { readonly kind: 'tabularium'; readonly scheme: Scheme; readonly ready: boolean; readonly says: string }
  /** Something else that speaks HTTP, and what it says it is. */
  | { readonly kind: 'other'; readonly scheme: Scheme; readonly server: string }
  /** Nothing that can be understood. */
  | { readonly kind: 'none'; readonly code: string; readonly says: string };

type Scheme = 'http' | 'https';

/** How long all of it may take: both schemes, head and body. Unit: milliseconds. */
const patienceMs = 5000;

/** Asks who is at a host and port for its health, first by the scheme it should speak, then by the other. */
export async function askHealth(place: Place, withinMs = patienceMs): Promise<Answerer> {
  const signal = AbortSignal.timeout(withinMs);
  const first = await askBy(place.scheme, place, signal);
  const isSpoken = first.kind === 'tabularium' || (first.kind === 'none' && first.code === 'ECONNREFUSED');
  if (isSpoken) return first;
  if (signal.aborted) return tooLate(first, withinMs);
  const second = await askBy(place.scheme === 'http' ? 'https' : 'http', place, signal);
  const best = second.kind === 'tabularium' || (first.kind === 'none' && second.kind === 'other') ? second : first;
  return signal.aborted ? tooLate(best, withinMs) : best;
}

/** Where a server should be, and how it should be spoken to. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly scheme: Scheme;
}

/** What is said when time is up: what answered, or that nothing did. */
function tooLate(answerer: Answerer, withinMs: number): Answerer {
  return answerer.kind === 'none'
    ? { kind: 'none', code: '', says: `no answer within ${withinMs / 1000} s` }
    : answerer;
}

async function askBy(scheme: Scheme, { host, port }: Place, signal: AbortSignal): Promise<Answerer> {
  const request = scheme === 'http' ? httpRequest : (await import('node:https')).request;
  // Nothing secret is sent, so whoever answers is believed: the certificate may be one that is trusted nowhere.
  const options = {
    host: reachedHost(host),
    port,
    path: '/_tabularium/health',
    agent: false,
    rejectUnauthorized: false,
    signal,
  };
  try {
    const response = await answerTo(request(options));
    const body = await textOf(response);
    const status = statusIn(body);
    if (status === undefined) return { kind: 'other', scheme, server: String(response.headers['server'] ?? 'unnamed') };
    return { kind: 'tabularium', scheme, ready: response.statusCode === 200, says: status };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return { kind: 'none', code, says: error instanceof Error ? error.message || code : String(error) };
  }
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve).once('error', reject).end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 10_000) break;
  }
  return text;
}

function statusIn(body: string): string | undefined {
  return /^\{"status":"([a-z-]+)"\}\s*$/.exec(body)?.[1];
}
