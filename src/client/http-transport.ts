import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ConfigError } from '../config.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { type Endpoint, reachedHost, rootOf } from './connection-strings.js';
import type { VerbRequest } from './request-of.js';
import { urlFlag, urlVariable } from './server-url.js';

/** No server answers. */
export class NoServer extends ConfigError {}

/** A server that is asked, with the token of its control endpoints, if it has one. */
export interface AskedServer {
  readonly endpoint: Endpoint;
  readonly token: string | undefined;
}

/** A stream that is sent as it comes. */
export interface Upload {
  readonly stream: Readable;
  readonly contentType: string;
}

/**
 * Sends a request to a server, with a body of its own if there is an upload. Returns the answer, whose status is 200, or one of
 * `statuses`.
 *
 * Errors: NoServer if no server is there; ConfigError if it rejects the request, with what it says.
 */
export async function sendRequest(
  { endpoint: { scheme, host, port }, token }: AskedServer,
  { method, path, body }: VerbRequest,
  upload?: Upload,
  statuses: readonly number[] = [],
): Promise<IncomingMessage> {
  const root = rootOf({ scheme, host, port });
  const request = scheme === 'http' ? httpRequest : (await import('node:https')).request;
  const text = body && JSON.stringify(body);
  const outgoing = request({
    ...{ host: reachedHost(host), port, path: `${controlRoot}${path}`, method },
    agent: false,
    // The certificate of a server on this machine may be one that it made itself. A token goes to no other machine unchecked.
    rejectUnauthorized: !/^(?:127\.|::1$|localhost$)/.test(reachedHost(host)),
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      ...(upload && { 'Content-Type': upload.contentType }),
    },
  });
  // Node 24 reports a reset in the middle of an answer here and on the answer, whose reader gets it.
  outgoing.once('response', () => outgoing.on('error', () => {}));
  if (upload) sendStream(upload.stream, outgoing);
  else outgoing.end(text);
  const [answer] = (await once(outgoing, 'response').catch((error: Error) => {
    throw new NoServer(
      `No server answers at ${root}: ${error.message}. Start one, or name another one with ${urlFlag} or ${urlVariable}.`,
    );
  })) as [IncomingMessage];
  if (answer.statusCode === 200 || statuses.includes(answer.statusCode ?? 0)) return answer;
  throw new ConfigError(`${root} refused: ${await refusalIn(answer)}`);
}

/** Sends a stream. The server may answer, and even end, before it has read all of it. */
function sendStream(stream: Readable, outgoing: ClientRequest): void {
  stream.once('error', (error) => outgoing.destroy(error));
  outgoing.once('response', () => outgoing.on('error', () => stream.destroy()));
  stream.pipe(outgoing);
}

/** Returns the text of an answer. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += part;
  return text;
}

async function refusalIn(answer: IncomingMessage): Promise<string> {
  const text = await textOf(answer);
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Another server than Tabularium answers in its own way.
  }
  return `status ${answer.statusCode}. Is it a Tabularium server of this version?`;
}
