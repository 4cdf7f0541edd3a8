import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Readable } from 'node:stream';
import { ConfigError } from '../config.js';
import { controlMark, controlRoot } from '../wire/reserved-endpoints.js';
import { type Endpoint, reachedHost, rootOf } from './connection-strings.js';
import type { VerbRequest } from './request-of.js';
import { urlFlag, urlVariable } from './server-url.js';

/** What to do if the wrong server was asked. */
const nameAnother = `Start one, or name another one with ${urlFlag} or ${urlVariable}.`;

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
 * Sends a request to a server, with a body of its own if there is an upload. Returns the answer, whose status is 200.
 *
 * Errors: ConfigError if no server is there, if another program answers, or if the server rejects the request, with what it says.
 */
export async function sendRequest(
  { endpoint: { scheme, host, port }, token }: AskedServer,
  { method, path, body }: VerbRequest,
  upload?: Upload,
): Promise<IncomingMessage> {
  const root = rootOf({ scheme, host, port });
  const text = body && JSON.stringify(body);
  if (token !== undefined && /[^\t -~\u0080-\u00ff]/.test(token)) {
    throw new ConfigError(
      'The token has a character that no header may have. Is there the end of a line in TABULARIUM_ADMIN_TOKEN?',
    );
  }
  const outgoing = await openRequest({ scheme, host, port }, path, {
    method,
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
    throw new ConfigError(`No server answers at ${root}: ${unreached(error, root)} ${nameAnother}`);
  })) as [IncomingMessage];
  const { statusCode, headers } = answer;
  // The parser of HTTP answers it, before there is a request.
  if (statusCode === 431) throw new ConfigError(`${root} rejects the request: its URL and headers are too long.`);
  if (!(controlMark in headers)) {
    outgoing.destroy();
    const program = headers['server'] === undefined ? '' : ` from ${headers['server']}`;
    throw new ConfigError(`What answers at ${root} is not Tabularium: status ${statusCode}${program}. ${nameAnother}`);
  }
  if (statusCode === 200) return answer;
  if (statusCode === 401) {
    const fault = token === undefined ? 'needs a token' : 'does not accept this token';
    throw new ConfigError(`${root} ${fault}. Set TABULARIUM_ADMIN_TOKEN to the token of the server.`);
  }
  throw new ConfigError(`${root}: ${(JSON.parse(await textOf(answer)) as { readonly error: string }).error}`);
}

/** Begins a request to a control endpoint, on a connection of its own. */
export async function openRequest(
  { scheme, host, port }: Endpoint,
  path: string,
  options: RequestOptions,
): Promise<ClientRequest> {
  const request = scheme === 'http' ? httpRequest : (await import('node:https')).request;
  return request({ host: reachedHost(host), port, path: `${controlRoot}${path}`, agent: false, ...options });
}

/** Returns why a server was not reached, and what may help, in sentences. */
export function unreached(error: Error, root: string): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EPROTO' && /wrong version number/.test(error.message))
    return `what listens there does not speak HTTPS. Try ${root.replace('https:', 'http:')}.`;
  if (code === 'ECONNRESET' && root.startsWith('http:'))
    return `it closed the connection. If it speaks HTTPS, try ${root.replace('http:', 'https:')}.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for other names. Use one of them.';
  // OpenSSL writes a line with places in its own code around the reason.
  const [, reason = error.message || code] = /:SSL routines:[^:]*:([^:]+)/.exec(error.message) ?? [];
  const isUntrusted = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/.test(code);
  return `${reason}.${isUntrusted ? ' Set NODE_EXTRA_CA_CERTS to its certificate.' : ''}`;
}

/** Sends a stream. The server may answer, and even end, before it has read all of it. */
function sendStream(stream: Readable, outgoing: ClientRequest): void {
  stream.once('error', (error) => outgoing.destroy(error));
  outgoing.once('response', () => outgoing.on('error', () => stream.destroy()));
  stream.pipe(outgoing);
}

/** Returns the text of an answer, or its beginning if it is longer than `max` UTF-16 code units. */
export async function textOf(answer: IncomingMessage, max = Infinity): Promise<string> {
  let text = '';
  for await (const part of answer.setEncoding('utf8')) {
    text += part;
    if (text.length > max) break;
  }
  return text;
}
