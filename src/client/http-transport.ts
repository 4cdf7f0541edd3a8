import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { Readable } from 'node:stream';
import { ConfigError } from '../config.js';
import { controlMark, controlRoot } from '../wire/reserved-endpoints.js';
import { type Endpoint, reachedHost, rootOf } from './connection-strings.js';
import type { VerbRequest } from './request-of.js';
import { urlFlag, urlVariable } from './server-url.js';

/** The fix for a wrong or missing server. */
const nameAnother = `Start one, or name another one with ${urlFlag} or ${urlVariable}.`;

/** The server for a request, with the token of its control endpoints, if any. */
export interface TargetServer {
  readonly endpoint: Endpoint;
  readonly token: string | undefined;
}

/** A request body to stream. */
export interface Upload {
  readonly stream: Readable;
  readonly contentType: string;
}

/**
 * Sends a request to a server, with the upload, if any, as the body. Returns the response, whose status is 200. The signal ends both.
 *
 * Errors: ConfigError if there is no server, if another program responds, or with the server's message if it rejects the request.
 */
export async function sendRequest(
  { endpoint: { scheme, host, port }, token }: TargetServer,
  { method, path, body }: VerbRequest,
  upload?: Upload,
  signal?: AbortSignal,
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
    ...(signal && { signal }),
    // A local server may have a self-signed certificate; never send a token to another machine unverified.
    rejectUnauthorized: !/^(?:127\.|::1$|localhost$)/.test(reachedHost(host)),
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      ...(upload && { 'Content-Type': upload.contentType }),
    },
  });
  // Node 24 reports a reset during a response here too; the reader of the response handles it.
  outgoing.once('response', () => outgoing.on('error', () => {}));
  if (upload) sendStream(upload.stream, outgoing);
  else outgoing.end(text);
  const [answer] = (await once(outgoing, 'response').catch((error: Error) => {
    throw new ConfigError(`No server answers at ${root}: ${unreached(error, root)} ${nameAnother}`);
  })) as [IncomingMessage];
  const { statusCode, headers } = answer;
  // Sent by Node's HTTP parser, and therefore without the mark of a control endpoint.
  if (statusCode === 431) throw new ConfigError(`${root} rejects the request: its URL and headers are too long.`);
  if (!(controlMark in headers)) {
    outgoing.destroy();
    const program = headers['server'] === undefined ? '' : ` from ${headers['server']}`;
    throw new ConfigError(`The server at ${root} is not Tabularium: status ${statusCode}${program}. ${nameAnother}`);
  }
  if (statusCode === 200) return answer;
  if (statusCode === 401) {
    const fault = token === undefined ? 'needs a token' : 'does not accept this token';
    throw new ConfigError(`${root} ${fault}. Set TABULARIUM_ADMIN_TOKEN to the token of the server.`);
  }
  throw new ConfigError(`${root}: ${(JSON.parse(await textOf(answer)) as { readonly error: string }).error}`);
}

/** Opens a request to a control endpoint on its own connection. */
export async function openRequest(
  { scheme, host, port }: Endpoint,
  path: string,
  options: RequestOptions,
): Promise<ClientRequest> {
  const request = scheme === 'http' ? httpRequest : (await import('node:https')).request;
  return request({ host: reachedHost(host), port, path: `${controlRoot}${path}`, agent: false, ...options });
}

/** Returns sentences that explain why a server was not reached, with a fix if one is known. */
export function unreached(error: Error, root: string): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EPROTO' && /wrong version number/.test(error.message))
    return `the server there does not speak HTTPS. Try ${root.replace('https:', 'http:')}.`;
  if (code === 'ECONNRESET' && root.startsWith('http:'))
    return `it closed the connection. If it speaks HTTPS, try ${root.replace('http:', 'https:')}.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for other names. Use one of them.';
  // OpenSSL wraps the reason in a line with locations in its source.
  const [, reason = error.message || code] = /:SSL routines:[^:]*:([^:]+)/.exec(error.message) ?? [];
  const isUntrusted = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/.test(code);
  return `${reason}.${isUntrusted ? ' Set NODE_EXTRA_CA_CERTS to its certificate.' : ''}`;
}

/** Sends a stream. The server may respond, and even disconnect, before it has read everything. */
function sendStream(stream: Readable, outgoing: ClientRequest): void {
  stream.once('error', (error) => outgoing.destroy(error));
  outgoing.once('response', () => outgoing.on('error', () => stream.destroy()));
  stream.pipe(outgoing);
}

/** Returns the text of a response; stops reading after more than `max` UTF-16 code units. */
export async function textOf(answer: IncomingMessage, max = Infinity): Promise<string> {
  let text = '';
  for await (const part of answer.setEncoding('utf8')) {
    text += part;
    if (text.length > max) break;
  }
  return text;
}
