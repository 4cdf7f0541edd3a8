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
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (outcome: () => void) => {
      request.off('data', take).off('end', end).off('error', fail).off('close', closed);
      outcome();
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) finish(() => reject(new TableError('RequestBodyTooLarge')));
      else chunks.push(chunk);
    };
    const end = () => finish(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const fail = (error: Error) => finish(() => reject(error));
    const closed = () => finish(() => reject(new ClientGone()));
    request.on('data', take).on('end', end).on('error', fail).on('close', closed);
  });
}

/** The client went away before its request was whole; nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
