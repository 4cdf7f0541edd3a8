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

/** What writers count, for the metrics. */
export interface WriterCounts {
  /** Writes whose connection was lost, by what their receipts said. */
  made: number;
  notMade: number;
  /** Writes that lost to a rival. */
  conflicts: number;
}

/** How long a write may take, with everything that is done to find out what became of it. Unit: milliseconds. */
export const writeMs = 30_000;

/** Pause before a connection is tried again that opened but was of no use. Unit: milliseconds. */
const pauseMs = 5;

/**
 * How many receipts one row takes. As long as an old transaction is open, the database keeps every version of a row, and passes them all
 * to find the last one. (Our choice.)
 */
const receiptsMax = 1000;

/** The receipt of a write whose number was taken away. */
const noReceipt = { answer: null };

/** A write was not made, because a rival was first or the connection was lost. It can be judged and tried again. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/**
 * Writes one statement after another, each with a receipt in the database.
 *
 * A lost connection leaves open whether the statement was made. It is never sent again before that is known: a second
 * write would meet the first one, and the client would be told that its entity exists. Every write takes the writer's
 * next number. After a loss the writer takes that number itself. If it can, the write was not made and never will be.
 * If the number is taken, the write was made, and the receipt has its answer.
 */
export class ReceiptWriter {
  readonly #connection: Connection;
  readonly #counts: WriterCounts;
  /** This writer's row; undefined before it is registered. */
  #id: string | undefined;
  #seq = 0;
  /** The number of a write whose callers were told that its outcome is unknown. */
  #unsettled: number | undefined;
  /** Conflicts since the last write that was made. After two, the writer's row may be missing. */
  #lostInRow = 0;
  /** Connections in a row on which the database took no writes. */
  #readOnlyInRow = 0;
  /** The answer of a write whose callers were told that its outcome is unknown. */
  #late: string | undefined;

  constructor(connection: Connection, counts: WriterCounts) {
    this.#connection = connection;
    this.#counts = counts;
  }

  /** Returns a client on which the next write can be sent. Errors: StoreUnavailable. */
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

  /** Returns, once, the answer of a write that `ready` has found to be made after its callers were told otherwise. */
  takeLateAnswer(): string | undefined {
    const late = this.#late;
    this.#late = undefined;
    return late;
  }

  /**
   * Sends a write, and returns what it answers. With `commit` the write is the last one of a transaction, which it ends.
   *
   * Errors: Conflict; StoreUnavailable, with what became of the write; the database's own.
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
        // Nothing was made, for example because this server of the database is a standby now.
        if (this.#takesNoWrites(error)) throw notDone(error);
        throw needsNewConnection(error)
          ? new Conflict('the connection is of no use', { cause: error })
          : explainFailure(error);
      }
    }
    return this.#resolve(seq, endsAt);
  }

  /**
   * Returns whether the database takes no writes, also on a new connection: then waiting is of no use. The first time, a
   * new connection may lead to another server of the database.
   */
  #takesNoWrites(error: unknown): boolean {
    if (!isReadOnly(error)) return false;
    if (this.#readOnlyInRow === 0) this.#connection.doubt();
    return ++this.#readOnlyInRow > 1;
  }

  /** Finds out what became of a write. Returns its answer. Errors: Conflict if it was not made; StoreUnavailable. */
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

  /** Returns the answer of a write, or null if it was not made. Errors: StoreUnavailable if there is no receipt. */
  async #settle(client: pg.Client, seq: number, endsAt: number): Promise<string | null> {
    const run = (statement: Statement, ...values: unknown[]) =>
      this.#connection.run(client, statement, [this.#id, ...values], endsAt);
    // Waits for the write, if it is still in progress.
    const isTaken = (await run(takeNumber, seq)).rowCount === 0;
    const receipt = isTaken
      ? ((await run(readReceipt, seq)).rows[0] as { answer: string | null } | undefined)
      : noReceipt;
    if (receipt?.answer != null) await run(touchWriter);
    if (this.#connection.isUnreplicated) throw unknownOutcome();
    this.#unsettled = undefined;
    this.#seq = seq;
    if (!receipt) {
      // The database was replaced by a copy that does not have this writer.
      this.#id = undefined;
      throw unknownOutcome();
    }
    if (receipt.answer === null) this.#counts.notMade++;
    else this.#counts.made++;
    return receipt.answer;
  }

  /** Finds out whether the writer still has its row. A database that was replaced by a copy may not have it. */
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

/** Returns whether a statement that changed nothing may succeed when it is repeated, on this connection or a new one. */
function mayRepeat(error: unknown): boolean {
  return needsNewConnection(error) || isUndone(error) || isLockTimeout(error);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
