import { STATUS_CODES } from 'node:http';
import { expect } from 'vitest';
import type { Answer } from './answer.js';

/** A date-time ETag as the service writes it: only `:` encoded, trailing zeros of the fraction cut. */
export const etagForm: unknown = expect.stringMatching(
  /^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(?:\.\d{0,6}[1-9])?Z'"$/,
);

/** A request id as the service writes it. */
export const guidForm: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);

/** An HTTP date. */
export const dateForm: unknown = expect.stringMatching(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);

/** `Server` of every answer but those of the front end's authentication. */
export const fullServer = 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0';

/** The type of a JSON answer at a level. */
export function jsonTypeAt(level: string): string {
  return `application/json;odata=${level};streaming=true;charset=utf-8`;
}

/** The level that the request's `Accept` names; what `$format` says is not looked at. */
export function levelOf({ sent }: Answer): string {
  return /odata=(\w+)/.exec(sent['accept'] ?? '')?.[1] ?? 'minimalmetadata';
}

/** What every answer of the service itself carries, given its request. Source: operations 4.1. */
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

/** Expects exactly these headers, names as the service writes them, each once. */
export function expectHeaders(answer: Answer, headers: Readonly<Record<string, unknown>>): void {
  expect(Object.fromEntries(answer.rawHeaders)).toEqual(headers);
  expect(answer.rawHeaders).toHaveLength(Object.keys(headers).length);
}

/**
 * Expects a success of a table or entity operation with exactly the headers of its kind: the common ones, those that
 * go with a body or without one, and the `own` ones of the operation. Source: operations 4.1.
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
