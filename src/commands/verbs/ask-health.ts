import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { reachedHost } from '../../client/connection-strings.js';
import { controlMark, controlRoot } from '../../wire/reserved-endpoints.js';

/** What a host and port answered to a request for its health. */
export type Answerer =
  /** A Tabularium server. `ready` tells whether it serves requests; `status` is its own report. */
  | { readonly kind: 'tabularium'; readonly scheme: Scheme; readonly ready: boolean; readonly status: string }
  /** Another HTTP server, with its Server header. */
  | { readonly kind: 'other'; readonly scheme: Scheme; readonly server: string }
  /** No HTTP answer: the code of the system error, or '', and its message. */
  | { readonly kind: 'none'; readonly code: string; readonly message: string };

type Scheme = 'http' | 'https';

/** Time limit for the whole check: both schemes, headers and bodies. Unit: milliseconds. */
const timeoutMs = 5000;

/** Asks a server for its health: first over the expected scheme, then over the other one. */
export async function askHealth(place: Place, withinMs = timeoutMs): Promise<Answerer> {
  const signal = AbortSignal.timeout(withinMs);
  const first = await askBy(place.scheme, place, signal);
  const isFinal = first.kind === 'tabularium' || (first.kind === 'none' && first.code === 'ECONNREFUSED');
  if (isFinal) return first;
  if (signal.aborted) return afterTimeout(first, withinMs);
  const second = await askBy(place.scheme === 'http' ? 'https' : 'http', place, signal);
  const best = second.kind === 'tabularium' || (first.kind === 'none' && second.kind === 'other') ? second : first;
  return signal.aborted ? afterTimeout(best, withinMs) : best;
}

/** The address where a server is expected, and its expected scheme. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly scheme: Scheme;
}

/** Returns the result after the time limit: the answer so far, or that there was none. */
function afterTimeout(answerer: Answerer, withinMs: number): Answerer {
  return answerer.kind === 'none'
    ? { kind: 'none', code: '', message: `no answer within ${withinMs / 1000} s` }
    : answerer;
}

async function askBy(scheme: Scheme, { host, port }: Place, signal: AbortSignal): Promise<Answerer> {
  const request = scheme === 'http' ? httpRequest : (await import('node:https')).request;
  // The request contains no secret, so an untrusted certificate is accepted.
  const options = {
    host: reachedHost(host),
    port,
    path: `${controlRoot}/health`,
    agent: false,
    rejectUnauthorized: false,
    signal,
  };
  try {
    const response = await answerTo(request(options));
    const body = await textOf(response);
    const status = controlMark in response.headers ? statusIn(body) : undefined;
    if (status === undefined) return { kind: 'other', scheme, server: String(response.headers['server'] ?? 'unnamed') };
    return { kind: 'tabularium', scheme, ready: response.statusCode === 200, status };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return { kind: 'none', code, message: error instanceof Error ? error.message || code : String(error) };
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
