import { expect } from 'vitest';
import type { Answer, JsonObject } from '../answers/answer.js';
import { commonHeadersOf, expectHeaders, jsonTypeAt } from '../answers/expect-answer.js';
import { readJsonError, readODataXmlError } from '../answers/expect-error.js';
import type { RequestOptions } from '../clients/service-client.js';
import type { ServiceTools } from '../servers/describe-service.js';

/** One operation of a batch. */
export interface PartRequest {
  readonly method: string;
  /** A path after the account that begins with a slash, or an absolute URL. */
  readonly url: string;
  /** Lines after the request line. Without an `Accept` among them, the usual one of JSON is sent; an empty one is left out. */
  readonly headers?: readonly string[];
  /** Lines of the MIME part, in addition to its type and encoding. */
  readonly partHeaders?: readonly string[];
  /** A string is sent unchanged, an object as JSON. */
  readonly body?: string | JsonObject;
}

/** Insert Entity. */
export function insert(table: string, entity: JsonObject, ...headers: string[]): PartRequest {
  return { method: 'POST', url: `/${table}`, headers, body: entity };
}

/** An update of one entity with this verb. */
export function update(method: 'PUT' | 'MERGE' | 'PATCH', url: string, body: JsonObject, ...headers: string[]) {
  return { method, url, headers, body } satisfies PartRequest;
}

/** Delete Entity, whatever its tag. */
export function remove(url: string, ifMatch = '*'): PartRequest {
  return { method: 'DELETE', url, headers: [`If-Match: ${ifMatch}`] };
}

/** A read. */
export function read(url: string, ...headers: string[]): PartRequest {
  return { method: 'GET', url, headers };
}

/** The boundary that `writeChangeSet` writes. */
export const batchBoundary = 'batch_a1e9d677';
const changeSetBoundary = 'changeset_8a28b620';

/** Writes the body of a batch with one change set, in the format of most clients. */
export function writeChangeSet(parts: readonly PartRequest[], end = '\r\n'): string {
  const delimited = parts.map((part) => `--${changeSetBoundary}${end}${writePart(part, end)}`);
  const inner = `${delimited.join('')}--${changeSetBoundary}--${end}`;
  const type = `Content-Type: multipart/mixed; boundary=${changeSetBoundary}`;
  return [`--${batchBoundary}`, type, '', `${inner}`, `--${batchBoundary}--`, ''].join(end);
}

/** Writes the body of a batch with operations outside of a change set. */
export function writeBare(parts: readonly PartRequest[]): string {
  return `${parts.map((part) => `--${batchBoundary}\r\n${writePart(part, '\r\n')}`).join('')}--${batchBoundary}--\r\n`;
}

/** Most clients send it in each part. Without it, a part is answered in Atom. */
const usualAccept = 'Accept: application/json;odata=minimalmetadata';

function writePart({ method, url, headers = [], partHeaders = [], body }: PartRequest, end: string): string {
  const json = typeof body === 'object' ? JSON.stringify(body) : body;
  const mime = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary', ...partHeaders];
  const hasType = json === undefined || headers.some((line) => /^content-type:/i.test(line));
  const type = hasType ? [] : ['Content-Type: application/json'];
  const accept = headers.some((line) => /^accept:/i.test(line)) ? [] : [usualAccept];
  const sent = headers.filter((line) => !/^accept: *$/i.test(line));
  return [...mime, '', `${method} ${url} HTTP/1.1`, ...type, ...accept, ...sent, '', json ?? '', ''].join(end);
}

/** Functions that send batches. */
export interface BatchTools {
  /** Sends a change set. Its operations get absolute URLs. */
  readonly sendChangeSet: (parts: readonly PartRequest[], options?: RequestOptions) => Promise<Answer>;
  /** Sends a batch with one read. */
  readonly sendQuery: (part: PartRequest, options?: RequestOptions) => Promise<Answer>;
  /** Sends a body unchanged. */
  readonly sendBody: (body: string, options?: RequestOptions) => Promise<Answer>;
}

/** Returns functions that send batches to this service. */
export function batchTools({ client, service }: Pick<ServiceTools, 'client' | 'service'>): BatchTools {
  const absolute = (part: PartRequest): PartRequest =>
    part.url.startsWith('/') ? { ...part, url: `${service().base}${part.url}` } : part;
  const sendBody = (body: string, options: RequestOptions = {}) =>
    client.post('/$batch', body, {
      ...options,
      headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}`, ...options.headers },
    });
  return {
    sendChangeSet: (parts, options) => sendBody(writeChangeSet(parts.map(absolute)), options),
    sendQuery: (part, options) => sendBody(writeBare([absolute(part)]), options),
    sendBody,
  };
}

/** One part of a batch's answer. */
export interface PartAnswer {
  readonly statusLine: string;
  /** In written order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The parsed body, or an empty object without one. */
  readonly json: JsonObject;
}

/** The parsed answer of a batch. */
export interface BatchAnswer {
  readonly inChangeSet: boolean;
  readonly parts: readonly PartAnswer[];
}

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/**
 * Parses an answer with status 202, and expects exactly the recorded envelope: headers, boundaries, CRLF everywhere,
 * two blank lines after a part without a body. Source: batch 3.
 */
export function readBatchAnswer(answer: Answer): BatchAnswer {
  expect(answer.status, answer.body).toBe(202);
  expect(answer.reason).toBe('Accepted');
  expectHeaders(answer, {
    ...commonHeadersOf(answer),
    'Cache-Control': 'no-cache',
    'Content-Type': expect.stringMatching(new RegExp(`^multipart/mixed; boundary=batchresponse_${guid}$`)),
    'Transfer-Encoding': 'chunked',
    'X-Content-Type-Options': 'nosniff',
  });
  const batch = answer.headers['content-type']?.split('boundary=')[1] ?? '';
  const setType = `Content-Type: multipart/mixed; boundary=(changesetresponse_${guid})\r\n\r\n`;
  const set = new RegExp(`^--${batch}\r\n${setType}([^]*)--${batch}--\r\n$`).exec(answer.body);
  const [boundary, text] = set ? [set[1] ?? '', set[2] ?? ''] : [batch, answer.body];
  const delimiter = `--${boundary}\r\n`;
  const ending = `--${boundary}--\r\n`;
  if (text === ending) return { inChangeSet: set !== null, parts: [] };
  expect(text.startsWith(delimiter) && text.endsWith(ending), answer.body).toBe(true);
  const pieces = text.slice(delimiter.length, -ending.length).split(delimiter);
  return { inChangeSet: set !== null, parts: pieces.map(readPartAnswer) };
}

const mimeHead = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';

function readPartAnswer(text: string): PartAnswer {
  expect(text.startsWith(mimeHead), text).toBe(true);
  const blank = text.indexOf('\r\n\r\n', mimeHead.length);
  const [statusLine = '', ...lines] = text.slice(mimeHead.length, blank).split('\r\n');
  const body = text.slice(blank + 4, -2);
  expect(text).toBe(`${mimeHead}${[statusLine, ...lines].join('\r\n')}\r\n\r\n${body}\r\n`);
  if (!body.startsWith('<')) expect(body, 'one line, or none').not.toMatch(/[\r\n]/);
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  return { statusLine, headers, body, json: body.startsWith('{') ? (JSON.parse(body) as JsonObject) : {} };
}

/** Expects one part per operation, with these status lines, and returns the parts. */
export function expectParts(answer: Answer, statusLines: readonly string[]): readonly PartAnswer[] {
  const { parts } = readBatchAnswer(answer);
  expect(
    parts.map(({ statusLine }) => statusLine.slice('HTTP/1.1 '.length)),
    answer.body,
  ).toEqual(statusLines);
  return parts;
}

/** The expected single part of a failed batch. */
export interface ExpectedFailure {
  readonly status: string;
  readonly code: string;
  /** The message with its index. */
  readonly message: string;
  /** Found while the batch was read, `B1`, or while it was done, `B2`. */
  readonly set: 'B1' | 'B2';
  readonly contentId?: string;
  readonly prefer?: string;
  readonly level?: string;
  /** Whether the operation asked for Atom, whose errors are XML. */
  readonly xml?: true;
  /** Whether the operation has no request. Its part then has no `X-Content-Type-Options`. Source: batch 4. */
  readonly isEmpty?: true;
}

/** Expects one error part, whole: status line, headers in order, text. Source: batch 3; batch 4. */
export function expectFailure(answer: Answer, expected: ExpectedFailure, inChangeSet = true): void {
  const { status, code, message, set, contentId, prefer, level = 'minimalmetadata', xml, isEmpty } = expected;
  const batch = readBatchAnswer(answer);
  expect(batch.inChangeSet).toBe(inChangeSet);
  expect(batch.parts).toHaveLength(1);
  const [part] = batch.parts;
  expect(part?.statusLine, answer.body).toBe(`HTTP/1.1 ${status}`);
  expect(part?.headers).toEqual([
    ...(contentId === undefined ? [] : [['Content-ID', contentId]]),
    ...(isEmpty ? [] : [['X-Content-Type-Options', 'nosniff']]),
    ...(set === 'B2' || prefer !== undefined ? [['Cache-Control', 'no-cache']] : []),
    ...(prefer === undefined ? [] : [['Preference-Applied', prefer]]),
    ['DataServiceVersion', xml ? '1.0;' : '3.0;'],
    ['Content-Type', xml ? 'application/xml;charset=utf-8' : jsonTypeAt(level)],
  ]);
  const text = message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{7}Z';
  const value = new RegExp(`^${text}\nRequestId:${answer.headers['x-ms-request-id']}\nTime:${time}$`);
  const read = xml ? readODataXmlError(part?.body ?? '') : readJsonError(part?.body ?? '');
  expect(read).toEqual({ code, text: expect.stringMatching(value) });
}
