import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import { type ControlAnswer, ndjson } from './control-row.js';

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
    body: inPieces(writeList(start, values, end)),
    ...(headers && { headers }),
  };
}

/** Returns an answer of lines of JSON, which is written in the same way. A line may come as several texts. */
export function answerLines(texts: Iterable<string>): ControlAnswer {
  return { status: 200, contentType: ndjson, body: inPieces(texts) };
}

function inPieces(texts: AsyncIterable<string> | Iterable<string>): Readable {
  return Readable.from(piecesOf(texts), { objectMode: false });
}

async function* writeList(
  start: string,
  values: AsyncIterable<object> | Iterable<object>,
  end: string,
): AsyncGenerator<string> {
  let before = start;
  for await (const value of values) {
    yield before + JSON.stringify(value);
    before = ',';
  }
  yield before === start ? start + end : end;
}

async function* piecesOf(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceUnits) continue;
    yield piece;
    piece = '';
    await otherWork();
  }
  yield piece;
}
