import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { ControlAnswer } from './control-row.js';

/** Pieces are sent once they have this length. Unit: UTF-16 code units. Ours: as long as what a socket takes at once. */
const pieceUnits = 64 * 1024;

/**
 * Returns an answer with a JSON value that contains a long list: `start`, the values, `end`. It is written as fast as the
 * client reads it, and is never kept as a whole. Other requests are answered between the pieces.
 */
export function answerList(
  start: string,
  values: AsyncIterable<object> | Iterable<object>,
  end: string,
  headers?: ControlAnswer['headers'],
): ControlAnswer {
  return {
    status: 200,
    contentType: 'application/json; charset=utf-8',
    body: Readable.from(piecesOf(start, values, end), { objectMode: false }),
    ...(headers && { headers }),
  };
}

async function* piecesOf(
  start: string,
  values: AsyncIterable<object> | Iterable<object>,
  end: string,
): AsyncGenerator<string> {
  let piece = start;
  let separator = '';
  for await (const value of values) {
    piece += separator + JSON.stringify(value);
    separator = ',';
    if (piece.length < pieceUnits) continue;
    yield piece;
    piece = '';
    await otherWork();
  }
  yield piece + end;
}
