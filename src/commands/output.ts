import type { WriteStream } from 'node:tty';

/** Characters that a terminal executes, or that reorder a line. Line breaks and tabs may stay. */
const executed = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

let isWatched = false;

/**
 * Writes to standard output. If its reader has left, as `head` does after its lines, the program ends without an error. The
 * stream is opened at the first text: a pipe that a child process inherits must stay as it is. Returns whether the reader keeps
 * up; if not, the stream will emit `drain`.
 */
export function writeOut(text: string): boolean {
  if (!isWatched) process.stdout.on('error', leave);
  isWatched = true;
  return writeTo(process.stdout, text);
}

/** Writes a line to standard output. */
export function print(line: string): void {
  writeOut(`${line}\n`);
}

/** Writes a line to standard error. */
export function printError(line: string): void {
  writeTo(process.stderr, `${line}\n`);
}

/** Writes to an output: on a terminal, as `forTerminal` returns it. Every command writes through this. Returns as `writeOut`. */
export function writeTo(output: WriteStream, text: string): boolean {
  return output.write(output.isTTY ? forTerminal(text) : text);
}

/** Returns a text that no terminal executes. The escapes are those of JSON, so that JSON stays valid and means the same. */
export function forTerminal(text: string): string {
  return text.replace(executed, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function leave(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
