import type { MetadataLevel } from '../../protocol/edm.js';
import { EventLoopTurn } from '../../store/event-loop-turn.js';
import { type Body, PageBuffer } from './page-buffer.js';

/** Largest text that Node.js writes to a socket at once, which is cheaper than a buffer. Unit: bytes. Source: docs/benchmarks.md. */
const textBytesMax = 16 * 1024;

/** Pages with more than this in their rows are written one after the other. Unit: bytes. */
const largeBytesMin = 1024 * 1024;

/** Resolves when the last of the large pages is written. */
let lastLarge: Promise<unknown> = Promise.resolve();

/** A page as input of `writePage`. */
export interface PageToWrite {
  readonly level: MetadataLevel;
  /** The metadata URL as JSON. */
  readonly context: string;
  /** Texts of entities, or names of tables. */
  readonly rows: readonly string[];
  readonly writeRow: (row: string) => string;
  /** Returns whether the client has left. */
  isGone(): boolean;
}

/**
 * Writes a page as the body of an answer. A page that takes long is written in turns of the event loop. Large pages are
 * written one after the other, because the pieces of a hundred unfinished pages would fill the heap.
 *
 * Errors: Abandoned when the client has left. Source: operations 6.
 */
export function writePage(page: PageToWrite): Body | Promise<Body> {
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

async function writeInTurns(page: PageToWrite, pieces: string[], turn: EventLoopTurn): Promise<Body> {
  do await turn.next();
  while (!writeRows(page, pieces, turn));
  return joinPage(page, pieces);
}

/** Writes rows until the turn is over. Returns whether all rows are written. */
function writeRows({ rows, writeRow }: PageToWrite, pieces: string[], turn: EventLoopTurn): boolean {
  while (pieces.length < rows.length) {
    const first = pieces.length;
    const stop = Math.min(rows.length, first + turn.rows);
    for (let at = first; at < stop; at++) pieces.push(writeRow(rows[at] ?? ''));
    if (turn.isOver(stop - first)) return pieces.length === rows.length;
  }
  return true;
}

/**
 * Joins the written rows. All text is ASCII, so its length is its size in bytes. The rows of a large page are written into
 * one buffer, which costs a third of joining and encoding them. Source: docs/benchmarks.md.
 */
function joinPage({ level, context }: PageToWrite, pieces: readonly string[]): Body {
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
