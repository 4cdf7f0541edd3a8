import { STATUS_CODES } from 'node:http';
import { expect } from 'vitest';
import type { Answer } from './answer.js';
import { usualTexts } from './error-texts.js';
import { asksForAtom, commonHeadersOf, expectHeaders, jsonTypeAt, levelOf } from './expect-answer.js';

/**
 * The recorded header sets of rejections. Source: operations 4.4.
 *
 * - `A1` authentication, `A2` challenge, `A3` XML operations and the front end: bare type, `Content-Length`,
 *   `x-ms-error-code`, the message as reason phrase
 * - `B1` early, `B2` engine: OData in JSON, or in XML for a client of Atom, chunked, never `x-ms-error-code`; `Cache-Control` and `Preference-Applied`
 *   only in B2
 */
export type ErrorSet = 'A1' | 'A2' | 'A3' | 'B1' | 'B2';

/** The expected details of an error, in addition to its status and code. */
export interface ErrorDetails {
  /** The text before the request id. Absent: the usual text of the code. */
  readonly message?: string | RegExp;
  /** Whether it has the challenge in any case. */
  readonly challenge?: boolean;
  /** Absent: B2. */
  readonly set?: ErrorSet;
  /** Layer B: the metadata level in its type, if it differs from the one in `Accept`. */
  readonly level?: string;
  /** The version of the request, if a signature sets it and not `x-ms-version`. */
  readonly version?: string;
  /** Layer A: the bare type. Absent: A3 is XML, the others JSON if `Accept` names it. */
  readonly type?: 'application/json' | 'application/xml';
  /** Layer A: whether the answer repeats no version, because the query names no operation. Source: operations 1.2. */
  readonly unmatched?: true;
}

/** Expects an error: status, reason phrase, format and text of the body, and exactly the headers of its set. */
export function expectTableError(answer: Answer, status: number, code: string, details: ErrorDetails = {}): void {
  const { set = 'B2', level = levelOf(answer), type = bareTypeOf(answer, set) } = details;
  expect(answer.status, answer.body).toBe(status);
  const read = readError(answer, set, type);
  expect(read.code, answer.body).toBe(code);

  const [message = '', requestId, time, ...rest] = read.text.split('\n');
  expect(rest, 'three lines, ended by LF').toEqual([]);
  expect(requestId).toBe(`RequestId:${answer.headers['x-ms-request-id']}`);
  expect(time).toMatch(/^Time:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
  const expected = details.message ?? usualTexts.get(code);
  if (expected instanceof RegExp) expect(message).toMatch(expected);
  else expect(message).toBe(expected);

  expect(answer.reason).toBe(set.startsWith('A') ? message : STATUS_CODES[status]);
  const oDataType = asksForAtom(answer) ? 'application/xml;charset=utf-8' : jsonTypeAt(level);
  const expectedType = set.startsWith('A') ? type : oDataType;
  expectHeaders(answer, headersOf(answer, set, code, expectedType, details));
}

function readError(answer: Answer, set: ErrorSet, type: string): { code: string; text: string } {
  if (set.startsWith('A')) return type === 'application/json' ? readJsonError(answer.body) : readXmlError(answer.body);
  return asksForAtom(answer) ? readODataXmlError(answer.body) : readJsonError(answer.body);
}

function bareTypeOf({ sent }: Answer, set: ErrorSet): NonNullable<ErrorDetails['type']> {
  return set !== 'A3' && sent['accept']?.includes('application/json') ? 'application/json' : 'application/xml';
}

function headersOf(
  answer: Answer,
  set: ErrorSet,
  code: string,
  type: string,
  { version: served = answer.sent['x-ms-version'], unmatched, challenge }: ErrorDetails,
): Record<string, unknown> {
  const { 'x-ms-version': version, ...common } = commonHeadersOf(answer);
  const headers = { ...common, 'Content-Type': type };
  if (set === 'B1' || set === 'B2') {
    const applies = set === 'B2' && ['POST', 'PUT', 'MERGE', 'PATCH'].includes(answer.method);
    const prefer = applies ? answer.sent['prefer'] : undefined;
    return {
      ...headers,
      'x-ms-version': version,
      'Transfer-Encoding': 'chunked',
      'X-Content-Type-Options': 'nosniff',
      ...(set === 'B2' && { 'Cache-Control': 'no-cache' }),
      ...(prefer !== undefined && { 'Preference-Applied': prefer }),
    };
  }
  return {
    ...headers,
    'Content-Length': String(Buffer.byteLength(answer.body)),
    // Source: atom 1.3.
    ...((served === undefined || served >= '2017-07-29') && { 'x-ms-error-code': code }),
    ...(set === 'A1' ? { Server: 'Microsoft-HTTPAPI/2.0' } : unmatched ? {} : { 'x-ms-version': version }),
    ...((set === 'A2' || challenge) && {
      'WWW-Authenticate': expect.stringMatching(
        /^Bearer authorization_uri=https:\/\/\S+\/oauth2\/authorize resource_id=https:\/\/storage\.azure\.com$/,
      ),
    }),
  };
}

/** Returns code and text of an OData error. Its JSON must contain nothing else. Source: errors 1. */
export function readJsonError(body: string): { code: string; text: string } {
  const parsed = JSON.parse(body) as { 'odata.error': { code: string; message: { lang: string; value: string } } };
  const { code, message } = parsed['odata.error'];
  expect(parsed).toEqual({ 'odata.error': { code, message: { lang: 'en-US', value: message.value } } });
  return { code, text: message.value };
}

const odataXmlForm =
  /^<\?xml version="1\.0" encoding="utf-8"\?><error xmlns="http:\/\/schemas\.microsoft\.com\/ado\/2007\/08\/dataservices\/metadata"><code>(\w+)<\/code><message xml:lang="en-US">([^<]*)<\/message><\/error>$/;

/** Returns code and text of an OData error in XML, whose elements have no prefix. Source: atom 6. */
export function readODataXmlError(body: string): { code: string; text: string } {
  return readXml(body, odataXmlForm);
}

const xmlForm =
  /^<\?xml version="1\.0" encoding="utf-8"\?><m:error xmlns:m="http:\/\/schemas\.microsoft\.com\/ado\/2007\/08\/dataservices\/metadata"><m:code>(\w+)<\/m:code><m:message xml:lang="en-US">([^<]*)<\/m:message><\/m:error>$/;

/** Returns code and text of an error in XML without byte order mark. Source: errors 2. */
function readXmlError(body: string): { code: string; text: string } {
  return readXml(body, xmlForm);
}

function readXml(body: string, form: RegExp): { code: string; text: string } {
  expect(body).toMatch(form);
  const [, code = '', text = ''] = form.exec(body) ?? [];
  return { code, text: text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') };
}
