import { isUtf8 } from 'node:buffer';
import { IncomingMessage } from 'node:http';
import type { TableErrorCode } from '../protocol/error-codes.js';
import { TableError } from '../protocol/errors.js';
import { bodyBytesMax } from '../protocol/limits.js';
import { ClientGone } from '../service/stages.js';
import { EventLoopTurn } from '../store/event-loop-turn.js';

/**
 * Reads the body of a request, of at most `bytesMax` bytes. A body that is too large is rejected at once. Node.js discards
 * the rest of it, so that the connection can be used again.
 *
 * Errors: RequestBodyTooLarge; ClientGone.
 */
export async function readBody(request: IncomingMessage, bytesMax = bodyBytesMax): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > bytesMax) throw new TableError('RequestBodyTooLarge');
  // Most bodies come together with their headers. They are here in the next microtask, and cost less than the events of a stream.
  await undefined;
  const isHere = length > 0 && request.readableLength === length;
  return isHere ? (request.read() as Buffer) : collect(request, bytesMax);
}

/** Decodes a body as UTF-8. Errors: `notText` if it is not UTF-8. */
export function decodeBody(body: Buffer, notText: TableErrorCode): string {
  if (!isUtf8(body)) throw new TableError(notText);
  return body.toString('utf8');
}

const noBytes: Buffer = Buffer.alloc(0);

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // If the client left before, or the request has no body, there are no more events.
    if (request.readableEnded) resolve(noBytes);
    else if (request.destroyed) reject(new ClientGone());
    const body = new CollectedBytes(bytesMax);
    const take = () => {
      const bytes = request.read() as Buffer | null;
      if (bytes && !body.add(bytes)) reject(new TableError('RequestBodyTooLarge'));
    };
    const isChunked = request.headers['transfer-encoding'] !== undefined;
    request.on('readable', isChunked ? new ChunkedReads(request, take).wait : take);
    request.on('end', () => resolve(body.bytes));
    request.on('close', () => {
      if (!request.readableEnded) reject(new ClientGone());
    });
  });
}

/** Ratio of received bytes to body bytes above which chunks are tiny. (Our choice: that of chunks of six bytes.) */
const tinyShare = 2;

/**
 * Paces the reads of a body in chunks: one for each turn of the event loop. Node.js would read the socket until the stream is full.
 * In chunks of one byte, that is two reads of 64 KiB in a turn, and six since Node.js 22.
 *
 * The 11,000 chunks of a single read take 25 to 40 ms in the parser of Node.js alone. So bodies of tiny chunks take turns: each
 * turn of the event loop lets one of them continue.
 */
class ChunkedReads {
  readonly #request: IncomingMessage;
  readonly #take: () => void;
  readonly #turn = new EventLoopTurn();
  #received: number;
  #isWaiting = false;
  #isTiny = false;

  constructor(request: IncomingMessage, take: () => void) {
    this.#request = request;
    this.#take = take;
    this.#received = request.socket.bytesRead;
    // The stream asks for more after each chunk until it is full, and that resumes the socket.
    request._read = (size) => {
      if (!this.#isWaiting) IncomingMessage.prototype._read.call(request, size);
    };
  }

  /** Defers the chunks of this turn of the event loop to a later one. Called for each chunk. */
  readonly wait = (): void => {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    if (!this.#request.complete) this.#request.socket.pause();
    if (this.#isTiny) void this.#turn.next().then(this.#takeAll);
    else setImmediate(this.#takeAll);
  };

  readonly #takeAll = (): void => {
    const { socket, readableLength } = this.#request;
    const received = socket.bytesRead - this.#received;
    this.#received += received;
    this.#isTiny = received > tinyShare * readableLength;
    this.#isWaiting = false;
    this.#take();
    socket.resume();
  };
}

/** Bytes that arrive in pieces, in one buffer that doubles when it is full. A list of the pieces would take 400 bytes for each. */
class CollectedBytes {
  readonly #max: number;
  #buffer: Buffer = noBytes;
  #length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a piece. Returns false if there are too many bytes; then none are kept. */
  add(piece: Buffer): boolean {
    const before = this.#length;
    this.#length += piece.length;
    if (this.#length > this.#max) this.#buffer = noBytes;
    else if (before === 0) this.#buffer = piece;
    else {
      if (this.#length > this.#buffer.length) this.#grow(before);
      piece.copy(this.#buffer, before);
    }
    return this.#length <= this.#max;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(used: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.#length, Math.min(2 * used, this.#max)));
    this.#buffer.copy(larger, 0, 0, used);
    this.#buffer = larger;
  }
}
