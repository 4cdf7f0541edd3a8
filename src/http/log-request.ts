import type { FastifyBaseLogger } from 'fastify';
import { type Exchange, header } from './exchange.js';

/** What clients say in these tells a developer something, and nobody a secret. */
const loggedHeaders = [
  'host',
  'user-agent',
  'accept',
  'content-type',
  'content-length',
  'date',
  'x-ms-date',
  'x-ms-version',
  'x-ms-client-request-id',
  'x-http-method',
  'prefer',
  'if-match',
  'if-none-match',
  'origin',
] as const;

/** Logs one answered request; the debug log also has what its headers said. */
export function logRequest(exchange: Exchange, logger: FastifyBaseLogger, status: number, ms: number): void {
  const { request, requestId, operation, refusal } = exchange;
  const path = redactSignature(request.url ?? '');
  logger.info(
    { requestId, method: request.method, path, operation, status, error: refusal, ms: Math.round(ms * 10) / 10 },
    'request',
  );
  if (logger.level === 'debug' || logger.level === 'trace') {
    logger.debug({ requestId, scheme: authorizationScheme(exchange), headers: headersOf(exchange) }, 'headers');
  }
}

/** A request target without its signature, however the name of the parameter is spelled. */
export function redactSignature(url: string): string {
  const queryAt = url.indexOf('?');
  if (queryAt < 0) return url;
  const pairs = url.slice(queryAt + 1).split('&');
  const redacted = pairs.map((pair) => {
    const name = pair.split('=', 1)[0] ?? '';
    return /^sig$/i.test(decodeName(name)) ? `${name}=…` : pair;
  });
  return `${url.slice(0, queryAt)}?${redacted.join('&')}`;
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name).trim();
  } catch {
    // What cannot be decoded is refused before it could be a signature.
    return name;
  }
}

/** How a request was signed. What follows the first word of the header is secret. */
function authorizationScheme({ request }: Exchange): string | undefined {
  return /^(?:SharedKey|SharedKeyLite|Bearer)(?= )/.exec(header(request, 'authorization') ?? '')?.[0];
}

function headersOf({ request }: Exchange): Readonly<Record<string, string>> {
  return Object.fromEntries(
    loggedHeaders.flatMap((name) => {
      const value = header(request, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
