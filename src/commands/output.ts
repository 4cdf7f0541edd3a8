let isWatched = false;

/**
 * Writes to standard output. If its reader has left, as `head` does after its lines, the program ends without an error. The
 * stream is opened at the first text: a pipe that a child process inherits must stay as it is. Returns whether the reader keeps
 * up; if not, the stream will emit `drain`.
 */
export function writeOut(text: string): boolean {
  if (!isWatched) process.stdout.on('error', leave);
  isWatched = true;
  return process.stdout.write(text);
}

/** Writes a line to standard output. */
export function print(line: string): void {
  writeOut(`${line}\n`);
}

/** Writes a line to standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

function leave(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
