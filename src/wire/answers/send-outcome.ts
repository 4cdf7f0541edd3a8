import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WrittenHead } from '../../dialects/dialect.js';
import type { Body, PageBuffer } from '../../formats/json/page-buffer.js';
import type { AnswerDelivery } from '../../service/gate.js';
import { hasHeader, type Outcome } from '../../service/outcome.js';
import { ResponseSink } from './response-sink.js';
import { sendPage, sendText } from './send-text.js';

/** Sends the outcomes of the requests of one listener. */
export class OutcomeSender {
  readonly #now: () => number;
  /** The date of the answers in one second. Making it takes a microsecond. */
  #second = -1;
  #date = '';

  /** `now` dates the answers. */
  constructor(now: () => number) {
    this.#now = now;
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
    // Node.js may count a request as complete only after its answer, also if all of its body was read.
    const hasArrived = reached.bytes !== undefined || request.complete;
    if (hasArrived && !faults?.delivery && sendWhole(response, head, body, bytes, isChunked)) return bytes;
    if (request.httpVersion === '1.1' && response.shouldKeepAlive) response.removeHeader('connection');
    if (reason === undefined) response.writeHead(status, headers);
    else response.writeHead(status, reason, headers);
    if (faults?.delivery) deliver(faults.delivery, response, body, isChunked);
    else if (request.method === 'HEAD' || response.destroyed) response.end();
    // Node.js would send a string together with the headers, and write those in UTF-8, too.
    else response.end(typeof body === 'string' ? Buffer.from(body) : body?.bytes);
    return bytes;
  }

  /** Returns the time as the `Date` header has it. */
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
): boolean {
  if (typeof body === 'object') return isChunked && sendPage(response, head, body);
  const text = body ?? '';
  // Text with longer characters is not framed by its length.
  return bytes === text.length && sendText(response, head, text, isChunked);
}

/** Hands an answer to what sends it in another way. The answer to HEAD has no body. */
function deliver(delivery: AnswerDelivery, response: ServerResponse, body: Body = '', isChunked = false): void {
  const bytes = typeof body === 'object' ? body.bytes : Buffer.from(body);
  delivery(new ResponseSink(response), response.req.method === 'HEAD' ? bytes.subarray(0, 0) : bytes, isChunked);
}

/** Releases the memory of a page when its answer is sent, or its client has left. */
function releaseWhenSent(response: ServerResponse, page: PageBuffer): void {
  // Not `finish`, which does not come if the client leaves.
  if (response.destroyed) page.release();
  else response.once('close', () => page.release());
}
