import type pg from 'pg';
import { Connection, type ConnectionCounts } from '../connection/connection.js';
import type { DatabaseConfig } from '../connection/database-address.js';
import { explainFailure, isConflict, needsNewConnection, notDone } from '../connection/failures.js';
import { noteReceipt } from '../schema/statements.js';
import { Conflict, ReceiptWriter, type WriterCounts, writeMs } from './receipt-writer.js';

/** The time that a transaction waits for an unreachable database. Unit: milliseconds. */
const readyMs = 10_000;

/** The maximum number of attempts after a lost connection or a conflict. */
const attemptsMax = 5;

/** The time limit of a statement. Unit: milliseconds. (Our choice: a day, because it may copy all rows of all tables.) */
const statementMs = 24 * 60 * 60 * 1000;

/** The visibility of concurrent commits in a transaction. */
const begins = {
  /** None: every statement sees the moment of the first one. */
  'one-moment': 'BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL statement_timeout = 0',
  /** Each statement sees all earlier commits. */
  present: 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0',
} as const;

/** Runs a statement of a transaction. Returns its rows. */
export type RunStatement = <Row extends object>(text: string, values: unknown[]) => Promise<readonly Row[]>;

/** A transaction of several statements. */
export interface Work<T> {
  readonly sees: keyof typeof begins;
  /** Runs the statements. It may be called again after a rollback. */
  make(run: RunStatement): Promise<T>;
}

/** A connection, and its writer of receipts. */
interface Lane {
  readonly connection: Connection;
  readonly writer: ReceiptWriter;
}

/** Runs long transactions, each on a connection of its own, exactly once: the last statement leaves a receipt. */
export class Transactions {
  readonly #lanes: readonly Lane[];
  readonly #free: Lane[];
  readonly #waiting: ((lane: Lane) => void)[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #isEnded = false;

  constructor(config: DatabaseConfig, size: number, counts: ConnectionCounts & WriterCounts) {
    this.#lanes = Array.from({ length: size }, () => {
      const connection = new Connection(config, counts);
      return { connection, writer: new ReceiptWriter(connection, counts) };
    });
    this.#free = [...this.#lanes];
  }

  /** Runs a transaction, after those that wait for a connection. Errors: StoreUnavailable; the database's own. */
  async run<T>(work: Work<T>): Promise<T> {
    const lane = this.#free.pop() ?? (await new Promise<Lane>((resolve) => this.#waiting.push(resolve)));
    const made = this.#make(lane, work);
    this.#running.add(made);
    try {
      return await made;
    } finally {
      this.#running.delete(made);
      const next = this.#waiting.shift();
      if (next) next(lane);
      else this.#free.push(lane);
    }
  }

  /** Aborts the running transactions, without effect, and rejects the waiting ones. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#lanes.map(({ connection }) => connection.end()));
    await Promise.allSettled(this.#running);
  }

  async #make<T>({ connection, writer }: Lane, { sees, make }: Work<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      if (this.#isEnded) throw notDone();
      const client = await writer.ready(performance.now() + readyMs);
      try {
        await query(connection, client, begins[sees], []);
        const result = await make((text, values) => query(connection, client, text, values));
        await writer.write(client, noteReceipt, [], performance.now() + writeMs, 'commit');
        return result;
      } catch (error) {
        // Rolls back uncommitted statements.
        connection.drop(client);
        if (!(error instanceof Conflict)) throw explainFailure(error);
        if (attempt === attemptsMax) throw notDone(error);
      }
    }
  }
}

/** Runs a statement of a transaction. Errors: Conflict if the transaction was rolled back and can be repeated. */
async function query<Row extends object>(
  connection: Connection,
  client: pg.Client,
  text: string,
  values: unknown[],
): Promise<readonly Row[]> {
  try {
    // A text with several statements cannot have parameters.
    const answer = values.length === 0 ? client.query(text) : client.query(text, values);
    return (await connection.within(client, performance.now() + statementMs, answer)).rows as Row[];
  } catch (error) {
    const isToRepeat = isConflict(error) || needsNewConnection(error);
    throw isToRepeat ? new Conflict('the transaction was undone', { cause: error }) : error;
  }
}
