import { constants, open, write } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How much text may wait for a slow reader. Further lines are dropped. Unit: UTF-16 code units. */
const backlogMax = 16 * 1024 * 1024;

/** How long to wait before a full pipe is tried again. Unit: milliseconds. */
const retryMs = 50;

/** How long `end` waits for lines that are not written yet. Unit: milliseconds. */
const endMs = 1000;

/** `O_NONBLOCK`, because opening a named pipe without a reader never returns. Windows does not have it. */
const openFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** Where lines of the log go, and how messages call the place. */
export interface LogTarget {
  readonly name: string;
  /** An open file descriptor, or the path of a file that is made with its folders. */
  readonly to: number | string;
}

/**
 * Writes lines to a file or a pipe without blocking the event loop. A log never stops the server: after the first error
 * all further lines are dropped, and a reader that does not keep up loses lines. Either is reported once.
 */
export class LogOutput {
  readonly #name: string;
  readonly #report: (message: string) => void;
  #file: number | undefined;
  #waiting = '';
  /** What is being written, or tried again. */
  #writing: Buffer | undefined;
  #inSystem = false;
  #failed = false;
  #dropping = false;
  #idle: (() => void) | undefined;

  /** Opens the target. `report` gets a line for people when lines are lost. */
  constructor({ name, to }: LogTarget, report: (message: string) => void) {
    this.#name = name;
    this.#report = report;
    if (typeof to === 'number') this.#file = to;
    else void this.#open(to);
  }

  /** Whether the system has not returned from a write, which also keeps the process from exiting. */
  get isHeld(): boolean {
    return this.#inSystem;
  }

  /** Writes a line, which ends with a line feed. Never throws. */
  write(line: string): void {
    if (this.#failed) return;
    if (this.#waiting.length + line.length > backlogMax) {
      if (!this.#dropping) this.#report(`The reader of ${this.#name} does not keep up. Lines of the log are lost.`);
      this.#dropping = true;
      return;
    }
    this.#waiting += line;
    if (this.#writing === undefined) this.#writeNext();
  }

  /** Resolves when every line is written or dropped, at the latest after `endMs`. */
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
    this.#report(`The log cannot be written to ${this.#name}: ${why}. The server goes on without it.`);
    this.#idle?.();
  }
}
