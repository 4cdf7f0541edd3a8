import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { Connection } from '../connection/connection.js';
import {
  explainFailure,
  isConflict,
  isLockTimeout,
  isOpen,
  isReadOnly,
  isUndone,
  needsNewConnection,
  notDone,
  unknownOutcome,
} from '../connection/failures.js';
import {
  commitTransaction,
  readReceipt,
  registerWriter,
  type Statement,
  takeNumber,
  touchWriter,
} from '../schema/statements.js';

/** The counters of writers, for the metrics. */
export interface WriterCounts {
  /** Writes whose connection was lost, by the outcome in their receipts. */
  successes: number;
  failures: number;
  /** Writes that lost to a rival. */
  conflicts: number;
}

/** The time limit of a write, including the resolution of its outcome. Unit: milliseconds. */
export const writeMs = 30_000;

/** Pause before the retry of an unusable connection. Unit: milliseconds. */
const pauseMs = 5;

/**
 * The maximum number of receipts in one row. While an old transaction is open, the database keeps every version of a row, and visits them
 * all to find the last one. (Our choice.)
 */
const receiptsMax = 1000;

/** The receipt of a write that lost its number. */
const noReceipt = { answer: null };

/** A write had no effect, because a rival was first or the connection was lost. It can be judged again and retried. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/**
 * Writes one statement after another, each with a receipt in the database.
 *
 * A lost connection leaves the outcome of a statement unknown. A blind retry could meet the first write, and tell the client that its
 * entity exists. So every write takes the writer's next number, and after a loss the writer takes that number itself. If it can, the write
 * had no effect and never will. If the number is taken, the write succeeded, and the receipt has its answer.
 */
export class ReceiptWriter {
  readonly #connection: Connection;
  readonly #counts: WriterCounts;
  /** This writer's row; undefined before its registration. */
  #id: string | undefined;
  #seq = 0;
  /** The number of a write that was reported with an unknown outcome. */
  #unsettled: number | undefined;
  /** Conflicts since the last successful write. After two, the writer's row may be missing. */
  #lostInRow = 0;
  /** Consecutive connections on which the database rejected writes. */
  #readOnlyInRow = 0;
  /** The late answer of a write that was reported with an unknown outcome. */
  #late: string | undefined;

  constructor(connection: Connection, counts: WriterCounts) {
    this.#connection = connection;
    this.#counts = counts;
  }

  /** Returns a client for the next write. Errors: StoreUnavailable. */
  async ready(endsAt: number): Promise<pg.Client> {
    for (;;) {
      const client = await this.#connection.open(endsAt);
      try {
        if (this.#unsettled !== undefined) {
          this.#late = (await this.#settle(client, this.#unsettled, endsAt)) ?? this.#late;
        }
        if (this.#lostInRow > 1) await this.#check(client, endsAt);
        if (this.#id === undefined || this.#seq >= receiptsMax) await this.#register(client, endsAt);
        return client;
      } catch (error) {
        if (!mayRepeat(error)) throw explainFailure(error);
        if (performance.now() >= endsAt || this.#takesNoWrites(error)) throw notDone(error);
        await pause();
      }
    }
  }

  /** Returns, once, the answer of a write that `ready` found successful after its outcome was reported as unknown. */
  takeLateAnswer(): string | undefined {
    const late = this.#late;
    this.#late = undefined;
    return late;
  }

  /**
   * Sends a write, and returns its answer. With `commit`, it also commits the transaction. Errors: Conflict; StoreUnavailable, with the
   * outcome of the write; the database's own.
   */
  async write(
    client: pg.Client,
    statement: Statement,
    values: unknown[],
    endsAt: number,
    end?: 'commit',
  ): Promise<string> {
    const seq = this.#seq + 1;
    try {
      const { rows } = await this.#connection.run(client, statement, [...values, this.#id, seq], endsAt);
      if (end === 'commit') await this.#connection.run(client, commitTransaction, [], endsAt);
      if (!this.#connection.isUnreplicated) {
        this.#seq = seq;
        this.#lostInRow = 0;
        this.#readOnlyInRow = 0;
        return (rows[0] as { answer: string }).answer;
      }
    } catch (error) {
      if (isConflict(error)) {
        this.#counts.conflicts++;
        this.#lostInRow++;
        throw new Conflict('a rival was first', { cause: error });
      }
      if (!isOpen(error)) {
        // No effect, for example because the database server has become a standby.
        if (this.#takesNoWrites(error)) throw notDone(error);
        throw needsNewConnection(error)
          ? new Conflict('the connection is of no use', { cause: error })
          : explainFailure(error);
      }
    }
    return this.#resolve(seq, endsAt);
  }

  /** Whether the database rejects writes even on a new connection, which may lead to another server: then waiting is useless. */
  #takesNoWrites(error: unknown): boolean {
    if (!isReadOnly(error)) return false;
    if (this.#readOnlyInRow === 0) this.#connection.doubt();
    return ++this.#readOnlyInRow > 1;
  }

  /** Resolves the outcome of a write. Returns its answer. Errors: Conflict if it had no effect; StoreUnavailable. */
  async #resolve(seq: number, endsAt: number): Promise<string> {
    this.#unsettled = seq;
    for (;;) {
      let answer: string | null;
      try {
        answer = await this.#settle(await this.#connection.open(endsAt), seq, endsAt);
      } catch (error) {
        if (!mayRepeat(error) || performance.now() >= endsAt) throw unknownOutcome(error);
        await pause();
        continue;
      }
      if (answer === null) throw new Conflict('the connection was lost before the write was made');
      return answer;
    }
  }

  /** Returns the answer of a write; null if it had no effect. Errors: StoreUnavailable if there is no receipt. */
  async #settle(client: pg.Client, seq: number, endsAt: number): Promise<string | null> {
    const run = (statement: Statement, ...values: unknown[]) =>
      this.#connection.run(client, statement, [this.#id, ...values], endsAt);
    // Waits for a write in progress.
    const isTaken = (await run(takeNumber, seq)).rowCount === 0;
    const receipt = isTaken
      ? ((await run(readReceipt, seq)).rows[0] as { answer: string | null } | undefined)
      : noReceipt;
    if (receipt?.answer != null) await run(touchWriter);
    if (this.#connection.isUnreplicated) throw unknownOutcome();
    this.#unsettled = undefined;
    this.#seq = seq;
    if (!receipt) {
      // The database was replaced by a copy without this writer.
      this.#id = undefined;
      throw unknownOutcome();
    }
    if (receipt.answer === null) this.#counts.failures++;
    else this.#counts.successes++;
    return receipt.answer;
  }

  /** Checks that the writer still has its row, which may be missing if the database was replaced by a copy. */
  async #check(client: pg.Client, endsAt: number): Promise<void> {
    const { rowCount } = await this.#connection.run(client, readReceipt, [this.#id, this.#seq], endsAt);
    if (rowCount === 0) this.#id = undefined;
  }

  async #register(client: pg.Client, endsAt: number): Promise<void> {
    const id = String(randomInt(2 ** 48 - 1));
    await this.#connection.run(client, registerWriter, [id, this.#id ?? null], endsAt);
    this.#id = id;
    this.#seq = 0;
  }
}

/** Whether the retry of a statement without effect may succeed, on this connection or a new one. */
function mayRepeat(error: unknown): boolean {
  return needsNewConnection(error) || isUndone(error) || isLockTimeout(error);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
