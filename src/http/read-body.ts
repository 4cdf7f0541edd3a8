import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { TableError, type TableErrorCode } from '../protocol/errors.js';
import { bodyBytesMax } from '../protocol/limits.js';

/**
 * Reads the body of a request. A body that is too large is refused at once. Node.js discards the rest of it, so that the
 * connection can be used again.
 *
 * Errors: RequestBodyTooLarge; ClientGone.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > bodyBytesMax) throw new TableError('RequestBodyTooLarge');
  // Most bodies come together with their headers. They are here in the next microtask, and cost less than the events of a stream.
  await undefined;
  const isHere = length > 0 && request.readableLength === length;
  return isHere ? (request.read() as Buffer) : collect(request);
}

/** Decodes a body as UTF-8. Errors: `notText` if it is not UTF-8. */
export function decodeBody(body: Buffer, notText: TableErrorCode): string {
  if (!isUtf8(body)) throw new TableError(notText);
  return body.toString('utf8');
}

const noBytes = Buffer.alloc(0);

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // If the client left before, or the request has no body, there are no more events.
    if (request.readableEnded) resolve(noBytes);
    else if (request.destroyed) reject(new ClientGone());
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(new TableError('RequestBodyTooLarge'));
      }
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('close', () => {
      if (!request.readableEnded) reject(new ClientGone());
    });
  });
}

/** The client left before it had sent all of its request, so there is no answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
