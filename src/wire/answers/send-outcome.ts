import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { WrittenHead } from '../../dialects/dialect.js';
import type { Body, PageBuffer } from '../../formats/json/page-buffer.js';
import type { AnswerDelivery } from '../../service/gate.js';
import { hasHeader, type Outcome } from '../../service/outcome.js';
import type { AnswerGroups } from './answer-groups.js';
import { ResponseSink } from './response-sink.js';

/** Sends the outcomes of the requests of one listener. */
export class OutcomeSender {
  readonly #now: () => number;
  readonly #groups: AnswerGroups | undefined;
  /** The cached date of the answers in one second: formatting it takes a microsecond. */
  #second = -1;
  #date = '';

  /** `now` dates the answers. With `groups`, answers to reads may wait for each other. */
  constructor(now: () => number, groups: AnswerGroups | undefined) {
    this.#now = now;
    this.#groups = groups;
  }

  /**
   * Sends an outcome. A body without `Content-Length` among the headers is sent in chunks. Returns the size of the body.
   * Unit: bytes. Source: operations 4.1.
   *
   * Node.js adds `Connection` and `Keep-Alive`, which the service does not send, so they are removed.
   */
  send({ head, body, reached, faults }: Outcome, request: IncomingMessage, response: ServerResponse): number {
    const { status, reason, headers } = head;
    const bytes = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.bytes.length;
    const hasLength = hasHeader(headers, 'Content-Length');
    const isChunked = body !== undefined && !hasLength && request.httpVersion === '1.1';
    if (isChunked) headers.push('Transfer-Encoding', 'chunked');
    else if (!hasLength && !head.isBare) headers.push('Content-Length', String(bytes));
    headers.push('Date', this.#writeDate());
    if (typeof body === 'object') releaseWhenSent(response, body);
    if (head.closes) response.shouldKeepAlive = false;
    // Node.js may count a request as complete only after its answer, even if all of its body was read.
    const hasArrived = reached.bytes !== undefined || request.complete;
    const groups = request.method === 'GET' ? this.#groups : undefined;
    if (hasArrived && !faults?.delivery && sendWhole(response, head, body, bytes, isChunked, groups)) return bytes;
    if (request.httpVersion === '1.1' && response.shouldKeepAlive) response.removeHeader('connection');
    if (reason === undefined) response.writeHead(status, headers);
    else response.writeHead(status, reason, headers);
    if (faults?.delivery) deliver(faults.delivery, response, body, isChunked);
    else if (request.method === 'HEAD' || response.destroyed) response.end();
    // Node.js would send a string together with the headers, and write those in UTF-8, too.
    else response.end(typeof body === 'string' ? Buffer.from(body) : body?.bytes);
    return bytes;
  }

  #writeDate(): string {
    const now = this.#now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(now).toUTCString();
    }
    return this.#date;
  }
}

/** Sends an answer in one piece. Returns false and sends nothing if Node.js must send it. */
function sendWhole(
  response: ServerResponse,
  head: WrittenHead,
  body: Body | undefined,
  bytes: number,
  isChunked: boolean,
  groups: AnswerGroups | undefined,
): boolean {
  if (typeof body === 'object') return isChunked && sendPage(response, head, body);
  const text = body ?? '';
  // Text with longer characters is not framed by its length.
  return bytes === text.length && sendText(response, head, text, isChunked, groups);
}

/** Sends an answer through an injected delivery. The answer to HEAD has no body. */
function deliver(delivery: AnswerDelivery, response: ServerResponse, body: Body = '', isChunked = false): void {
  const bytes = typeof body === 'object' ? body.bytes : Buffer.from(body);
  delivery(new ResponseSink(response), response.req.method === 'HEAD' ? bytes.subarray(0, 0) : bytes, isChunked);
}

/** Releases the memory of a page when its answer is sent, or its client has left. */
function releaseWhenSent(response: ServerResponse, page: PageBuffer): void {
  // Not `finish`, which is not emitted if the client leaves.
  if (response.destroyed) page.release();
  else response.once('close', () => page.release());
}

/** Characters that a header cannot contain. Node.js has the same rule. */
const notInHeader = /[^\t\x20-\x7e\x80-\xff]/;

/** From this length on, head and body are written separately. Unit: characters. (Our choice: a copy takes longer than three pieces.) */
const longBody = 32 * 1024;

/**
 * Sends a whole answer at once. The bytes are those that `writeHead` and `end` would send. They send two texts, check
 * each header twice and cost a sixth of a point read. Source: docs/benchmarks.md.
 *
 * `head` has all headers, including the date. `body` has only characters of one byte. `isChunked` frames it as one chunk.
 * With `groups`, the answer may wait for others.
 *
 * All of the request must have arrived. Returns false and sends nothing if Node.js must send the answer: an earlier answer is
 * not sent yet, the answer has no body or no chunks, or the connection ends with it.
 */
export function sendText(
  response: ServerResponse,
  head: WrittenHead,
  body: string,
  isChunked: boolean,
  groups?: AnswerGroups,
): boolean {
  const text = headOf(response, head);
  if (text === undefined) return false;
  const { socket } = response;
  const before = isChunked && body !== '' ? `${text}${body.length.toString(16)}\r\n` : text;
  const after = isChunked ? (body === '' ? '0\r\n\r\n' : '\r\n0\r\n\r\n') : '';
  if (socket && groups) finish(response, groups.send(socket, before + body + after));
  else if (body.length < longBody) finish(response, write(socket, before + body + after));
  else finish(response, writePieces(socket, [before, body, after]));
  return true;
}

/** Sends an answer with a page in one chunk, as `sendText` does, from the memory of the page. */
export function sendPage(response: ServerResponse, head: WrittenHead, page: PageBuffer): boolean {
  const text = headOf(response, head);
  const bytes = text && page.between(`${text}${page.bytes.length.toString(16)}\r\n`, '\r\n0\r\n\r\n');
  if (!bytes) return false;
  finish(response, write(response.socket, bytes));
  return true;
}

/** Returns the text of a head, or undefined if Node.js must send the answer. */
function headOf(response: ServerResponse, { status, reason, headers: pairs }: WrittenHead): string | undefined {
  const { req, socket, shouldKeepAlive } = response;
  if (req.httpVersion !== '1.1' || req.method === 'HEAD' || !shouldKeepAlive || !socket?.writable) return undefined;
  let text = `HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < pairs.length; at += 2) {
    const value = pairs[at + 1] ?? '';
    if (notInHeader.test(value)) return undefined;
    text += `${pairs[at]}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}

/** Writes a whole answer. Returns whether the system has taken it at once. */
function write(socket: Socket | null, answer: string | Buffer): boolean {
  socket?.write(answer, 'latin1');
  return !socket || socket.writableLength === 0;
}

/** Writes a whole answer in pieces, which the system gets together. Returns whether it has taken them at once. */
function writePieces(socket: Socket | null, pieces: readonly string[]): boolean {
  socket?.cork();
  for (const piece of pieces) socket?.write(piece, 'latin1');
  socket?.uncork();
  return !socket || socket.writableLength === 0;
}

/** Notifies Node.js when an answer is sent, so that it continues with the next request of the connection. */
function finish(response: ServerResponse, isSent: boolean): void {
  response.finished = true;
  if (isSent) response.emit('finish');
  else response.socket?.write('', () => response.emit('finish'));
}
