import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { WrittenHead } from '../dialects/dialect.js';

/** Matches what a header cannot contain. Node.js has the same rule. */
const notInHeader = /[^\t\x20-\x7e\x80-\xff]/;

/** The date of the answers in one second. */
let lastDate = { second: 0, text: '' };

/**
 * Sends a whole answer as one text. The bytes are those that `writeHead` and `end` would send. They send two texts, check
 * each header twice and cost a sixth of a point read. Source: docs/benchmarks.md.
 *
 * `head` has all headers but the date. `body` is framed, and has only characters of one byte.
 *
 * Returns false and sends nothing if Node.js must send the answer: the request is not complete, an earlier answer is not
 * sent yet, the answer has no body or no chunks, or the connection ends with it.
 */
export function sendText(
  response: ServerResponse,
  { status, reason, headers: pairs }: WrittenHead,
  body: string,
): boolean {
  const { req, socket, shouldKeepAlive } = response;
  if (!req.complete || req.httpVersion !== '1.1' || req.method === 'HEAD' || !shouldKeepAlive || !socket?.writable)
    return false;
  let text = `HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < pairs.length; at += 2) {
    const value = pairs[at + 1] ?? '';
    if (notInHeader.test(value)) return false;
    text += `${pairs[at]}: ${value}\r\n`;
  }
  socket.write(`${text}Date: ${currentDate()}\r\n\r\n${body}`, 'latin1');
  response.finished = true;
  // With this event Node.js goes on to the next request of the connection.
  if (socket.writableLength === 0) response.emit('finish');
  else socket.write('', () => response.emit('finish'));
  return true;
}

/** Returns the time as the `Date` header has it. */
function currentDate(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() };
  return lastDate.text;
}
