import { anyHeader } from '../protocol/header-fields.js';
import { redactSecrets } from '../protocol/redact-secrets.js';
import type { RequestObserver, RequestRecord } from '../service/observe.js';
import type { Logger } from './logger.js';

/** Headers in the debug log. A client may have put a secret into any of them. */
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

/** Returns an observer that logs each request. The debug log also has its headers, without secrets. */
export function requestLog(logger: Logger): RequestObserver {
  return (record) => {
    const { request, requestId, operation, status, rejection, failedPart, durationMs } = record;
    const path = redactSecrets(bound(request.target));
    const ms = Math.round(durationMs * 10) / 10;
    const error = (rejection ?? failedPart?.rejection)?.code;
    const failedOperation = failedPart?.operation;
    const why = whyOf(record);
    const { method } = request;
    const identity = record.principal && (record.principal.name ?? record.principal.objectId);
    logger.info({ requestId, method, path, operation, failedOperation, identity, status, error, why, ms }, 'request');
    if (logger.level === 'debug' || logger.level === 'trace') {
      logger.debug({ requestId, scheme: authorizationScheme(record), headers: loggedHeadersOf(record) }, 'headers');
    }
  };
}

/** Longest target in the log. Unit: UTF-16 code units. (Our choice: clients must not control the length of a line.) */
const targetUnitsMax = 2048;

function bound(target: string): string {
  return target.length <= targetUnitsMax ? target : `${target.slice(0, targetUnitsMax)}…`;
}

/** Returns the explanation of a rejected request, unless it only repeats the code. */
function whyOf({ explanation, rejection, failedPart }: RequestRecord): string | undefined {
  if (!explanation || explanation.cause === (rejection ?? failedPart?.rejection)?.code) return undefined;
  return [explanation.text, explanation.advice ?? ''].join(' ').trimEnd();
}

/** Returns the first word of the Authorization header. The rest is secret. */
function authorizationScheme({ request }: RequestRecord): string | undefined {
  return /^(?:SharedKey|SharedKeyLite|Bearer)(?= )/.exec(request.headers['authorization'] ?? '')?.[0];
}

function loggedHeadersOf({ request }: RequestRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    loggedHeaders.flatMap((name) => {
      const value = anyHeader(request.headers, name);
      return value === undefined ? [] : [[name, redactSecrets(value)]];
    }),
  );
}
