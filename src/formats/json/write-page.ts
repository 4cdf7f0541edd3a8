import type { MetadataLevel } from '../../protocol/values/edm.js';
import { type PageWriting, writeRows } from '../write-rows.js';
import type { Body, PageMemory } from './page-buffer.js';

/** Largest text that Node.js writes to a socket at once, which is cheaper than a buffer. Unit: bytes. Source: docs/benchmarks.md. */
const textBytesMax = 16 * 1024;

/** A page as input of `writePage`. */
export interface PageToWrite {
  readonly level: MetadataLevel;
  /** The metadata URL as JSON. */
  readonly context: string;
  /** Texts of entities, or names of tables. */
  readonly rows: readonly string[];
  readonly writeRow: (row: string) => string;
  readonly writing: PageWriting;
}

/** Writes a page as the body of an answer. Errors: those of `writeRows`. Source: operations 6. */
export function writePage({ level, context, rows, writeRow, writing }: PageToWrite): Body | Promise<Body> {
  const head = level === 'nometadata' ? '{"value":[' : `{"odata.metadata":${context},"value":[`;
  return writeRows({ rows, writeRow, join: (pieces) => joinPage(head, pieces, writing.pages), writing });
}

/**
 * Joins the written rows. All text is ASCII, so its length is its size in bytes. The rows of a large page are written into
 * one buffer, which costs a third of joining and encoding them. Source: docs/benchmarks.md.
 */
function joinPage(head: string, pieces: readonly string[], memory: PageMemory): Body {
  const tail = ']}';
  let bytes = head.length + tail.length + Math.max(0, pieces.length - 1);
  for (const piece of pieces) bytes += piece.length;
  if (bytes <= textBytesMax) return head + pieces.join(',') + tail;
  const buffer = memory.take(bytes);
  const page = buffer.bytes;
  let at = page.write(head, 0, 'latin1');
  for (const piece of pieces) {
    at += page.write(piece, at, 'latin1');
    // A comma. The tail replaces the last one.
    page[at++] = 44;
  }
  page.write(tail, bytes - tail.length, 'latin1');
  return buffer;
}
