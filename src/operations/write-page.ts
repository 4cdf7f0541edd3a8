import type { EntityText } from '../entity/entity.js';
import type { MetadataLevel } from '../protocol/edm.js';
import { PageBuffer } from './page-buffer.js';

/** Up to here Node writes a text to a socket in one go, which is cheaper than a buffer. Unit: bytes. Source: measurements. */
const textBytesMax = 16 * 1024;

/**
 * A set as an answer's body. `context` is the metadata URL as JSON; rows are written by `writeRow`.
 *
 * All text is ASCII, so its length is its bytes: the pieces go into one buffer, which for large pages costs a third of
 * joining and encoding them. Source: operations, "JSON shapes"; measurements.
 */
export function writePage(
  level: MetadataLevel,
  context: string,
  rows: readonly EntityText[],
  writeRow: (row: EntityText) => string,
): string | PageBuffer {
  const head = level === 'nometadata' ? '{"value":[' : `{"odata.metadata":${context},"value":[`;
  const tail = ']}';
  const pieces = rows.map(writeRow);
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
