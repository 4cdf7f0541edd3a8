import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type Endpoint, rootOf } from '../../client/connection-strings.js';
import { openRequest, textOf } from '../../client/http-transport.js';
import { escapeText } from '../../config.js';
import { controlMark } from '../../wire/reserved-endpoints.js';
import type { VerbRun } from './verb-command.js';

/** The answer of a host and port to a health request. */
export type Answerer =
  /** A Tabularium server. `ready`: whether it serves requests; `status` is its own report. */
  | { readonly kind: 'tabularium'; readonly scheme: Scheme; readonly ready: boolean; readonly status: string }
  /** Another HTTP server, with its Server header. */
  | { readonly kind: 'other'; readonly scheme: Scheme; readonly server: string }
  /** No HTTP answer: the code of the system error, or '', and its message. */
  | { readonly kind: 'none'; readonly code: string; readonly message: string };

type Scheme = 'http' | 'https';

/** Time limit for the whole check over both schemes. Unit: milliseconds. */
const timeoutMs = 5000;

/** Sends a health request, first over the expected scheme, then over the other one. */
export async function askHealth(place: Endpoint, withinMs = timeoutMs): Promise<Answerer> {
  const signal = AbortSignal.timeout(withinMs);
  const first = await askBy(place.scheme, place, signal);
  const isFinal = first.kind === 'tabularium' || (first.kind === 'none' && first.code === 'ECONNREFUSED');
  if (isFinal) return first;
  if (signal.aborted) return afterTimeout(first, withinMs);
  const second = await askBy(place.scheme === 'http' ? 'https' : 'http', place, signal);
  const best = second.kind === 'tabularium' || (first.kind === 'none' && second.kind === 'other') ? second : first;
  return signal.aborted ? afterTimeout(best, withinMs) : best;
}

/** Returns the best result so far after a timeout. */
function afterTimeout(answerer: Answerer, withinMs: number): Answerer {
  return answerer.kind === 'none'
    ? { kind: 'none', code: '', message: `no answer within ${withinMs / 1000} s` }
    : answerer;
}

async function askBy(scheme: Scheme, { host, port }: Endpoint, signal: AbortSignal): Promise<Answerer> {
  try {
    // The request contains no secret, so an untrusted certificate is accepted.
    const request = await openRequest({ scheme, host, port }, '/health', { rejectUnauthorized: false, signal });
    const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
    const body = await textOf(response, 10_000);
    const status = controlMark in response.headers ? statusIn(body) : undefined;
    if (status === undefined) return { kind: 'other', scheme, server: String(response.headers['server'] ?? 'unnamed') };
    return { kind: 'tabularium', scheme, ready: response.statusCode === 200, status };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return { kind: 'none', code, message: error instanceof Error ? error.message || code : String(error) };
  }
}

function statusIn(body: string): string | undefined {
  return /^\{"status":"([a-z-]+)"\}\s*$/.exec(body)?.[1];
}

/** Prints the health of a server, or the reason why it was not reached, within five seconds. Returns 1 if it is not ready. */
export const checkHealth: VerbRun = async ({ endpoint }, _verb, { json }, print) => {
  const answerer = await askHealth(endpoint);
  const isReady = answerer.kind === 'tabularium' && answerer.ready;
  const root = rootOf(answerer.kind === 'tabularium' ? { ...endpoint, scheme: answerer.scheme } : endpoint);
  const status = answerer.kind === 'tabularium' ? answerer.status : 'not reached';
  const fault =
    answerer.kind === 'tabularium'
      ? ''
      : `: ${answerer.kind === 'other' ? `the server there is not Tabularium but ${answerer.server}` : answerer.message}`;
  print(json ? JSON.stringify({ status }) : escapeText(`${status}: ${root}${fault}`));
  return isReady ? 0 : 1;
};
