import type { EntityText } from '../entity/entity.js';
import type { MetadataLevel } from '../protocol/edm.js';
import { EventLoopTurn } from '../store/event-loop-turn.js';
import { PageBuffer } from './page-buffer.js';

/** Up to here Node writes a text to a socket in one go, which is cheaper than a buffer. Unit: bytes. Source: docs/benchmarks.md. */
const textBytesMax = 16 * 1024;

/** Rows of more than this in all are written after those of other large pages. Unit: bytes. */
const largeBytesMin = 1024 * 1024;

/** The large page that is to be written last. */
let lastLarge: Promise<unknown> = Promise.resolve();

/** A set that is to be written as an answer's body. */
export interface WrittenPage {
  readonly level: MetadataLevel;
  /** The metadata URL as JSON. */
  readonly context: string;
  readonly rows: readonly EntityText[];
  readonly writeRow: (row: EntityText) => string;
  /** Returns whether the client has left. */
  isGone(): boolean;
}

/**
 * Writes a set as an answer's body. A page that takes long is written in turns of the event loop, and large ones one
 * after the other: the pieces of a hundred half-written pages would fill the heap.
 *
 * Errors: Abandoned when the client has left. Source: operations 6.
 */
export function writePage(page: WrittenPage): string | PageBuffer | Promise<string | PageBuffer> {
  let bytes = 0;
  for (const row of page.rows) bytes += row.length;
  const turn = new EventLoopTurn(page.isGone);
  const pieces: string[] = [];
  if (bytes <= largeBytesMin) {
    return writeRows(page, pieces, turn) ? joinPage(page, pieces) : writeInTurns(page, pieces, turn);
  }
  const written = lastLarge.then(() => writeInTurns(page, pieces, turn));
  lastLarge = written.catch(() => {});
  return written;
}

async function writeInTurns(page: WrittenPage, pieces: string[], turn: EventLoopTurn): Promise<string | PageBuffer> {
  do await turn.next();
  while (!writeRows(page, pieces, turn));
  return joinPage(page, pieces);
}

/** Writes rows until all are written or the turn is over; returns whether all are. */
function writeRows({ rows, writeRow }: WrittenPage, pieces: string[], turn: EventLoopTurn): boolean {
  while (pieces.length < rows.length) {
    const first = pieces.length;
    const stop = Math.min(rows.length, first + turn.rows);
    for (let at = first; at < stop; at++) pieces.push(writeRow(rows[at] ?? ''));
    if (turn.isOver(stop - first)) return pieces.length === rows.length;
  }
  return true;
}

/**
 * Puts the written rows together. All text is ASCII, so its length is its bytes: the pieces go into one buffer, which
 * for large pages costs a third of joining and encoding them. Source: docs/benchmarks.md.
 */
function joinPage({ level, context }: WrittenPage, pieces: readonly string[]): string | PageBuffer {
  const head = level === 'nometadata' ? '{"value":[' : `{"odata.metadata":${context},"value":[`;
  const tail = ']}';
  let bytes = head.length + tail.length + Math.max(0, pieces.length - 1);
  for (const piece of pieces) bytes += piece.length;
  if (bytes <= textBytesMax) return head + pieces.join(',') + tail;
  const buffer = new PageBuffer(bytes);
  const page = buffer.bytes;
  let at = page.write(head, 0, 'latin1');
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) page[at++] = 44;
    at += page.write(piece, at, 'latin1');
  }
  page.write(tail, at, 'latin1');
  return buffer;
}
