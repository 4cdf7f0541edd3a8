import { bodyBytesMax } from '../protocol/limits.js';
import { StateFault } from '../state/state-fault.js';

/** Longest row. Unit: UTF-16 code units. (Our choice: the service reads no longer body, and no entity needs as much.) */
export const rowUnitsMax = bodyBytesMax;

/** Bytes to decode at a time. (Our choice: the usual chunk of a file or a socket.) */
const pieceBytes = 64 * 1024;

/** A line of a text, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined if it is too long. */
  readonly text: string | undefined;
}

/** Decodes a stream of UTF-8, without a byte order mark. Errors: StateFault for anything else. */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new StateFault(
        'invalid',
        `The file is not valid UTF-8 at or shortly after line ${line}. Save it as UTF-8.`,
      );
    }
  };
  for await (const chunk of bytes) {
    // A caller may pass a whole file at once, whose rows should not all be in memory.
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const text = decode(chunk.subarray(at, at + pieceBytes));
      yield text;
      line += countLines(text);
    }
  }
  yield decode();
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Splits a text into non-blank lines, in parts. Memory is bounded: the rest of a line that is too long is skipped. */
export async function* readLines(
  texts: AsyncIterable<string>,
  unitsMax: number = rowUnitsMax,
): AsyncGenerator<readonly Line[]> {
  let number = 1;
  let begun = '';
  let isTooLong = false;
  const add = (piece: string) => {
    isTooLong ||= begun.length + piece.length > unitsMax;
    begun = isTooLong ? '' : begun + piece;
  };
  const take = (): readonly Line[] => {
    const line = { number: number++, text: isTooLong ? undefined : begun.replace(/\r$/, '') };
    begun = '';
    isTooLong = false;
    return line.text !== undefined && line.text.trim() === '' ? [] : [line];
  };
  for await (const text of texts) {
    const lines: Line[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      add(text.slice(from, end));
      lines.push(...take());
      from = end + 1;
    }
    add(text.slice(from));
    if (lines.length > 0) yield lines;
  }
  yield take();
}
