import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { TableError, type TableErrorCode } from '../protocol/errors.js';
import { bodyBytesMax } from '../protocol/limits.js';

/**
 * Reads a request's body as text, refusing it as soon as it is too large. What then is left unread Node throws away,
 * so that the connection can be used again.
 *
 * Errors: RequestBodyTooLarge; `notText` for a body that is not UTF-8.
 */
export async function readBody(request: IncomingMessage, notText: TableErrorCode): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw new TableError('RequestBodyTooLarge');
  const body = await collect(request);
  if (!isUtf8(body)) throw new TableError(notText);
  return body.toString('utf8');
}

function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A client that left before now is never heard of again.
    if (request.destroyed && !request.readableEnded) reject(new ClientGone());
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

/** The client went away before its request was whole; nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
