import { expect } from 'vitest';
import type { Answer, JsonObject } from './answer.js';
import type { ServiceTools } from './describe-service.js';
import { commonHeadersOf, expectHeaders, jsonTypeAt } from './expect-answer.js';
import type { RequestOptions } from './service-client.js';

/** One operation of a batch, as a test asks for it. */
export interface PartRequest {
  readonly method: string;
  /** Behind the account, beginning with a slash; or absolute. */
  readonly url: string;
  /** Lines behind the request line. */
  readonly headers?: readonly string[];
  /** Lines of the MIME part, beside its type and encoding. */
  readonly partHeaders?: readonly string[];
  /** A string is sent as it is, anything else as JSON. */
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

/** The boundaries that `writeChangeSet` writes. */
export const batchBoundary = 'batch_a1e9d677';
const changeSetBoundary = 'changeset_8a28b620';

/** The body of a batch of one change set, the way most clients write it. */
export function writeChangeSet(parts: readonly PartRequest[], end = '\r\n'): string {
  const delimited = parts.map((part) => `--${changeSetBoundary}${end}${writePart(part, end)}`);
  const inner = `${delimited.join('')}--${changeSetBoundary}--${end}`;
  const type = `Content-Type: multipart/mixed; boundary=${changeSetBoundary}`;
  return [`--${batchBoundary}`, type, '', `${inner}`, `--${batchBoundary}--`, ''].join(end);
}

/** The body of a batch of operations that stand in no change set. */
export function writeBare(parts: readonly PartRequest[]): string {
  return `${parts.map((part) => `--${batchBoundary}\r\n${writePart(part, '\r\n')}`).join('')}--${batchBoundary}--\r\n`;
}

function writePart({ method, url, headers = [], partHeaders = [], body }: PartRequest, end: string): string {
  const json = typeof body === 'object' ? JSON.stringify(body) : body;
  const mime = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary', ...partHeaders];
  const type = json === undefined ? [] : ['Content-Type: application/json'];
  return [...mime, '', `${method} ${url} HTTP/1.1`, ...type, ...headers, '', json ?? '', ''].join(end);
}

/** What tests of batches send them with. */
export interface BatchTools {
  /** Sends a change set; its operations have absolute URLs. */
  readonly sendChangeSet: (parts: readonly PartRequest[], options?: RequestOptions) => Promise<Answer>;
  /** Sends a read alone. */
  readonly sendQuery: (part: PartRequest, options?: RequestOptions) => Promise<Answer>;
  /** Sends a body as it is. */
  readonly sendBody: (body: string, options?: RequestOptions) => Promise<Answer>;
}

/** Batches for the service at hand. */
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
  /** In the order written. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The body parsed; an empty object where there is none. */
  readonly json: JsonObject;
}

/** A batch's answer taken apart. */
export interface BatchAnswer {
  readonly inChangeSet: boolean;
  readonly parts: readonly PartAnswer[];
}

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/**
 * Takes an answer with status 202 apart, and expects its envelope to be the recorded one to the byte: headers,
 * boundaries, CRLF throughout, two blank lines behind a part without a body. Source: batch 3.
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
  if (set && text === ending) return { inChangeSet: true, parts: [] };
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
  expect(body, 'one line, or none').not.toMatch(/[\r\n]/);
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  return { statusLine, headers, body, json: body === '' ? {} : (JSON.parse(body) as JsonObject) };
}

/** Expects as many parts as operations, each with this status line, and returns them. */
export function expectParts(answer: Answer, statusLines: readonly string[]): readonly PartAnswer[] {
  const { parts } = readBatchAnswer(answer);
  expect(
    parts.map(({ statusLine }) => statusLine.slice('HTTP/1.1 '.length)),
    answer.body,
  ).toEqual(statusLines);
  return parts;
}

/** What is expected of the one part that a failed batch answers with. */
export interface ExpectedFailure {
  readonly status: string;
  readonly code: string;
  /** With its index, as the part has it. */
  readonly message: string;
  /** Found while the batch was read, `B1`, or while it was done, `B2`. */
  readonly set: 'B1' | 'B2';
  readonly contentId?: string;
  readonly prefer?: string;
  readonly level?: string;
}

/** Expects one error part, whole: status line, headers in order, text. Source: batch 3; batch 4. */
export function expectFailure(answer: Answer, expected: ExpectedFailure, inChangeSet = true): void {
  const { status, code, message, set, contentId, prefer, level = 'minimalmetadata' } = expected;
  const batch = readBatchAnswer(answer);
  expect(batch.inChangeSet).toBe(inChangeSet);
  expect(batch.parts).toHaveLength(1);
  const [part] = batch.parts;
  expect(part?.statusLine, answer.body).toBe(`HTTP/1.1 ${status}`);
  expect(part?.headers).toEqual([
    ...(contentId === undefined ? [] : [['Content-ID', contentId]]),
    ['X-Content-Type-Options', 'nosniff'],
    ...(set === 'B2' ? [['Cache-Control', 'no-cache']] : []),
    ...(prefer === undefined ? [] : [['Preference-Applied', prefer]]),
    ['DataServiceVersion', '3.0;'],
    ['Content-Type', jsonTypeAt(level)],
  ]);
  const text = message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{7}Z';
  const value = new RegExp(`^${text}\nRequestId:${answer.headers['x-ms-request-id']}\nTime:${time}$`);
  expect(part?.json).toEqual({
    'odata.error': { code, message: { lang: 'en-US', value: expect.stringMatching(value) } },
  });
}
