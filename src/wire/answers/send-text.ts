import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { WrittenHead } from '../../dialects/dialect.js';
import type { PageBuffer } from '../../formats/json/page-buffer.js';

/** Matches what a header cannot contain. Node.js has the same rule. */
const notInHeader = /[^\t\x20-\x7e\x80-\xff]/;

/** From this length on, a body is not copied into one text with its head. Unit: characters. Ours: a copy takes longer than three pieces. */
const longBody = 32 * 1024;

/**
 * Sends a whole answer at once. The bytes are those that `writeHead` and `end` would send. They send two texts, check
 * each header twice and cost a sixth of a point read. Source: docs/benchmarks.md.
 *
 * `head` has all headers, also the date. `body` has only characters of one byte. `isChunked` frames it as one chunk.
 *
 * All of the request must have arrived. Returns false and sends nothing if Node.js must send the answer: an earlier answer is
 * not sent yet, the answer has no body or no chunks, or the connection ends with it.
 */
export function sendText(response: ServerResponse, head: WrittenHead, body: string, isChunked: boolean): boolean {
  const text = headOf(response, head);
  if (text === undefined) return false;
  const { socket } = response;
  const before = isChunked && body !== '' ? `${text}${body.length.toString(16)}\r\n` : text;
  const after = isChunked ? (body === '' ? '0\r\n\r\n' : '\r\n0\r\n\r\n') : '';
  if (body.length < longBody) finish(response, write(socket, before + body + after));
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

/** Returns the head of an answer as it is sent, or undefined if Node.js must send the answer. */
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

/** Tells Node.js when an answer is sent. Then it goes on to the next request of the connection. */
function finish(response: ServerResponse, isSent: boolean): void {
  response.finished = true;
  if (isSent) response.emit('finish');
  else response.socket?.write('', () => response.emit('finish'));
}
