import { constants, open, write } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pino, type StreamEntry } from 'pino';
import type { Config } from '../settings/config.js';
import { humanLines, type LineSink } from './log-lines.js';
import type { Logger } from './logger.js';

/** The log of a server. */
export interface Log {
  readonly logger: Logger;
  /** Whether a write to the log is still in a system call. `process.exit` would wait for it. */
  readonly isHeld: boolean;
  /** Resolves once every line is written, or after a second if the reader is stuck. Log nothing after this call. */
  end(): Promise<void>;
}

/**
 * Opens the log of a server: standard output unless `silent`, and the debug file if one is set. After a write error the
 * server stops using that output and reports one line through `report`, by default to standard error.
 */
export function openLog(
  { silent, debug, log }: Pick<Config, 'silent' | 'debug' | 'log'>,
  report: (message: string) => void = writeToStandardError,
): Log {
  const outputs: LogOutput[] = [];
  const streams: StreamEntry[] = [];
  if (!silent) {
    const output = new LogOutput({ name: 'standard output', to: 1 }, report);
    outputs.push(output);
    streams.push({ level: 'info', stream: inForm(output, log) });
  }
  if (debug !== undefined) {
    const output = new LogOutput({ name: debug, to: debug }, report);
    outputs.push(output);
    streams.push({ level: 'debug', stream: output });
  }
  return {
    logger: createLogger(streams),
    get isHeld() {
      return outputs.some((output) => output.isHeld);
    },
    async end() {
      await Promise.all(outputs.map((output) => output.end()));
    },
  };
}

function createLogger(streams: StreamEntry[]): Logger {
  const [only] = streams;
  if (!only) return pino({ level: 'silent' });
  if (streams.length === 1) return pino({ level: only.level ?? 'info' }, only.stream);
  return pino({ level: 'debug' }, pino.multistream(streams));
}

function inForm(output: LogOutput, form: Config['log']): LineSink {
  // Node.js makes a pipe non-blocking when it opens `process.stdout`, so a stuck reader blocks no thread.
  const colored = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  return form === 'json' ? output : humanLines(output, colored);
}

function writeToStandardError(message: string): void {
  // Standard error may be closed, too. Its errors must not end the server.
  process.stderr.once('error', () => {}).write(`${message}\n`);
}

/** Largest backlog for a slow reader. Further lines are dropped. Unit: UTF-16 code units. */
const backlogMax = 16 * 1024 * 1024;

/** Pause before the next write to a full pipe. Unit: milliseconds. */
const retryMs = 50;

/** Time limit of `end` for writing the remaining lines. Unit: milliseconds. */
const endMs = 1000;

/** Includes `O_NONBLOCK`: without it, opening a named pipe that has no reader never returns. Windows lacks the flag. */
const openFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** A destination for log lines, with its name in messages. */
interface LogTarget {
  readonly name: string;
  /** An open file descriptor, or the path of a file, which is created with its folders. */
  readonly to: number | string;
}

/**
 * Writes lines to a file or a pipe without blocking the event loop. The log never stops the server: after an error it drops all
 * further lines, and it drops lines for a slow reader. It reports both.
 *
 * Not sonic-boom 4.2, which measures its backlog at each line and writes 16 KiB at a time. A line there takes 2.1 µs of CPU
 * instead of 0.5 with 16 lines per turn of the event loop, 8.9 instead of 3.2 with one. It also hides writes in flight.
 */
class LogOutput {
  readonly #name: string;
  readonly #report: (message: string) => void;
  #file: number | undefined;
  #waiting = '';
  /** The bytes of the current write, or of the next attempt. */
  #writing: Buffer | undefined;
  #inSystem = false;
  #failed = false;
  #dropping = false;
  #idle: (() => void) | undefined;

  /** Opens the target. `report` receives a message when lines are lost. */
  constructor({ name, to }: LogTarget, report: (message: string) => void) {
    this.#name = name;
    this.#report = report;
    if (typeof to === 'number') this.#file = to;
    else void this.#open(to);
  }

  get isHeld(): boolean {
    return this.#inSystem;
  }

  /** Writes a line, which must end with a line feed. Never throws. */
  write(line: string): void {
    if (this.#failed) return;
    if (this.#waiting.length + line.length > backlogMax) {
      if (!this.#dropping) this.#report(`The reader of ${this.#name} is too slow. Lines of the log are lost.`);
      this.#dropping = true;
      return;
    }
    this.#waiting += line;
    if (this.#writing === undefined) this.#writeNext();
  }

  /** Resolves once every line is written or dropped, or after `endMs`. */
  async end(): Promise<void> {
    if (this.#isIdle()) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(resolve, endMs);
    });
    clearTimeout(timer);
  }

  async #open(path: string): Promise<void> {
    try {
      await mkdir(dirname(path), { recursive: true });
      this.#file = await new Promise<number>((resolve, reject) => {
        open(path, openFlags, (error, file) => (error ? reject(error) : resolve(file)));
      });
      this.#writeNext();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #isIdle(): boolean {
    return this.#failed || (this.#writing === undefined && this.#waiting === '');
  }

  #writeNext(): void {
    if (this.#file === undefined) return;
    if (this.#waiting === '') {
      this.#idle?.();
      return;
    }
    this.#writing = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#dropping = false;
    this.#writeRest();
  }

  #writeRest(): void {
    if (this.#file === undefined || this.#writing === undefined) return;
    this.#inSystem = true;
    write(this.#file, this.#writing, this.#written);
  }

  readonly #written = (error: NodeJS.ErrnoException | null, bytes: number): void => {
    this.#inSystem = false;
    if (error?.code === 'EAGAIN') setTimeout(() => this.#writeRest(), retryMs);
    else if (error) this.#giveUp(error);
    else {
      const rest = this.#writing?.subarray(bytes);
      this.#writing = rest?.length ? rest : undefined;
      if (this.#writing) this.#writeRest();
      else this.#writeNext();
    }
  };

  #giveUp(error: unknown): void {
    this.#failed = true;
    this.#waiting = '';
    this.#writing = undefined;
    const why = error instanceof Error ? error.message : String(error);
    this.#report(`The log cannot be written to ${this.#name}: ${why}. The server continues without it.`);
    this.#idle?.();
  }
}
