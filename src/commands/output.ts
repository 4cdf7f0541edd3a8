import type { WriteStream } from 'node:tty';

/** Characters that control a terminal or reorder a line, except line breaks and tabs. */
const executed = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

let isWatched = false;

/**
 * Writes to standard output. Exits without an error if the reader has closed the pipe, as `head` does. Opens the stream only on the
 * first write, so that a pipe inherited by a child process stays unchanged. Returns whether the reader keeps up; if not, the stream
 * will emit `drain`.
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

/** Shows a text on standard error: on a terminal instead of the last such text, and otherwise on a line of its own. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${forTerminal(text)}`);
  else if (text !== '') printError(text);
}

/** Writes to an output, through `forTerminal` on a terminal. Every command writes through this. Returns the same as `writeOut`. */
export function writeTo(output: WriteStream, text: string): boolean {
  return output.write(output.isTTY ? forTerminal(text) : text);
}

/** Escapes control characters as JSON does, so that JSON stays valid and keeps its meaning. */
export function forTerminal(text: string): string {
  return text.replace(executed, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function leave(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
