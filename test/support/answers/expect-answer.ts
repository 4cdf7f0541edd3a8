import { STATUS_CODES } from 'node:http';
import { expect } from 'vitest';
import type { Answer } from './answer.js';

/** Matches a date-time ETag of the service: only `:` is encoded, and trailing zeros of the fraction are removed. */
export const etagForm: unknown = expect.stringMatching(
  /^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(?:\.\d{0,6}[1-9])?Z'"$/,
);

/** Matches a request id of the service. */
export const guidForm: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);

/** Matches an HTTP date. */
export const dateForm: unknown = expect.stringMatching(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);

/** `Server` of every answer, except authentication errors of the front end. */
export const fullServer = 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0';

/** Returns the type of a JSON answer at a metadata level. */
export function jsonTypeAt(level: string): string {
  return `application/json;odata=${level};streaming=true;charset=utf-8`;
}

/** Returns the metadata level in the `Accept` of the request. Ignores `$format`. */
export function levelOf({ sent }: Answer): string {
  return /odata=(\w+)/.exec(sent['accept'] ?? '')?.[1] ?? 'minimalmetadata';
}

/** Returns whether a request names no type or Atom, so that its errors are XML. Ignores `$format`. Source: atom 1.1. */
export function asksForAtom({ sent }: Answer): boolean {
  return ['', '*/*', 'application/atom+xml'].includes((sent['accept'] ?? '').trim());
}

/** Returns the headers of every answer to this request. Source: operations 4.1. */
export function commonHeadersOf({ sent }: Answer): Record<string, unknown> {
  const version = sent['x-ms-version'] ?? expect.any(String);
  const echoes = typeof version !== 'string' || version >= '2019-02-02';
  const clientRequestId = sent['x-ms-client-request-id'];
  return {
    Date: dateForm,
    Server: fullServer,
    'x-ms-request-id': guidForm,
    'x-ms-version': version,
    ...(echoes && clientRequestId !== undefined && { 'x-ms-client-request-id': clientRequestId }),
  };
}

/** Expects exactly these headers, each once, with names as the service writes them. */
export function expectHeaders(answer: Answer, headers: Readonly<Record<string, unknown>>): void {
  expect(Object.fromEntries(answer.rawHeaders)).toEqual(headers);
  expect(answer.rawHeaders).toHaveLength(Object.keys(headers).length);
}

/**
 * Expects a success of a table or entity operation with exactly these headers: the common ones, those of answers with
 * or without a body, and the `own` ones of the operation. Source: operations 4.1.
 */
export function expectSuccess(
  answer: Answer,
  status: 200 | 201 | 204,
  own: Readonly<Record<string, unknown>> = {},
): void {
  expect(answer.status, answer.body).toBe(status);
  expect(answer.reason).toBe(STATUS_CODES[status]);
  const carriesBody = status !== 204;
  expectHeaders(answer, {
    ...commonHeadersOf(answer),
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    ...(carriesBody
      ? { 'Content-Type': jsonTypeAt(levelOf(answer)), 'Transfer-Encoding': 'chunked' }
      : { 'Content-Length': '0' }),
    ...own,
  });
  if (!carriesBody) expect(answer.body).toBe('');
}
