import { notDone } from '../connection/failures.js';
import type { Statement } from '../schema/statements.js';
import { Conflict, type ReceiptWriter, writeMs } from './receipt-writer.js';

/** The time that a write waits for an unreachable database. Unit: milliseconds. */
const readyMs = 10_000;

/** Further writes are rejected while this many wait. */
const waitingMax = 1000;

/** Writes tables, policies and settings: one statement after another, each applied exactly once. */
export class DirectoryWriter {
  readonly #writer: ReceiptWriter;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(writer: ReceiptWriter) {
    this.#writer = writer;
  }

  /** Runs a write in order of arrival. Returns its answer, a list of texts. Errors: StoreUnavailable; the database's own. */
  write(statement: Statement, values: readonly unknown[]): Promise<readonly string[]> {
    if (this.#waiting >= waitingMax) return Promise.reject(notDone());
    this.#waiting++;
    const written = this.#last.then(() => this.#write(statement, values)).finally(() => this.#waiting--);
    this.#last = written.catch(() => {});
    return written;
  }

  /** Resolves when nothing waits. */
  async drain(): Promise<void> {
    await this.#last;
  }

  async #write(statement: Statement, values: readonly unknown[]): Promise<readonly string[]> {
    const endsAt = performance.now() + writeMs;
    for (;;) {
      const client = await this.#writer.ready(Math.min(endsAt, performance.now() + readyMs));
      try {
        return JSON.parse(await this.#writer.write(client, statement, [...values], endsAt)) as string[];
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        if (performance.now() >= endsAt) throw notDone(error);
      }
    }
  }
}
