import { EventLoopTurn } from '../store/event-loop-turn.js';
import type { Body, PageMemory } from './json/page-buffer.js';

/** Pages with larger rows are written in sequence. Unit: bytes. */
const largeBytesMin = 1024 * 1024;

/** The client and the memory of a page. */
export interface PageWriting {
  isGone(): boolean;
  readonly pages: PageMemory;
}

/** The rows of a page as input of `writeRows`. */
export interface RowsToWrite {
  /** Texts of entities, or names of tables. */
  readonly rows: readonly string[];
  readonly writeRow: (row: string) => string;
  /** Joins the written rows to a body. */
  readonly join: (pieces: readonly string[]) => Body;
  readonly writing: PageWriting;
}

/**
 * Writes the rows of a page and joins them to the body of an answer. A page that takes long is written in turns of the event
 * loop. A server writes large pages in sequence, because the pieces of a hundred unfinished pages would fill the heap.
 *
 * Errors: Abandoned when the client has left.
 */
export function writeRows(page: RowsToWrite): Body | Promise<Body> {
  let bytes = 0;
  for (const row of page.rows) bytes += row.length;
  const turn = new EventLoopTurn(() => page.writing.isGone());
  const pieces: string[] = [];
  if (bytes <= largeBytesMin) {
    return writeTurn(page, pieces, turn) ? page.join(pieces) : writeInTurns(page, pieces, turn);
  }
  return page.writing.pages.afterOthers(() => writeInTurns(page, pieces, turn));
}

async function writeInTurns(page: RowsToWrite, pieces: string[], turn: EventLoopTurn): Promise<Body> {
  do await turn.next();
  while (!writeTurn(page, pieces, turn));
  return page.join(pieces);
}

/** Writes rows until the turn is over. Returns whether all rows are written. */
function writeTurn({ rows, writeRow }: RowsToWrite, pieces: string[], turn: EventLoopTurn): boolean {
  while (pieces.length < rows.length) {
    const first = pieces.length;
    const stop = Math.min(rows.length, first + turn.rows);
    for (let at = first; at < stop; at++) pieces.push(writeRow(rows[at] ?? ''));
    if (turn.isOver(stop - first)) return pieces.length === rows.length;
  }
  return true;
}
