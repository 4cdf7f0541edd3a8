import type pg from 'pg';
import { Connection, type ConnectionCounts } from '../connection/connection.js';
import type { DatabaseConfig } from '../connection/database-address.js';
import { explainFailure, isConflict, needsNewConnection, notDone } from '../connection/failures.js';
import { noteReceipt } from '../schema/statements.js';
import { Conflict, ReceiptWriter, type WriterCounts, writeMs } from './receipt-writer.js';

/** How long a transaction waits for a database that cannot be reached, before it is rejected. Unit: milliseconds. */
const readyMs = 10_000;

/** How often a transaction is tried whose connection is lost, or that loses to a rival. */
const attemptsMax = 5;

/** How long one statement may take. Unit: milliseconds. (Our choice: a day, since it may copy all rows of all tables.) */
const statementMs = 24 * 60 * 60 * 1000;

/** How a transaction sees what others commit meanwhile. */
const begins = {
  /** Not at all: every statement sees the moment of the first one. */
  'one-moment': 'BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL statement_timeout = 0',
  /** Each statement sees what was committed before it. */
  present: 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0',
} as const;

/** Runs a statement of a transaction. Returns its rows. */
export type RunStatement = <Row extends object>(text: string, values: unknown[]) => Promise<readonly Row[]>;

/** A transaction of several statements. */
export interface Work<T> {
  readonly sees: keyof typeof begins;
  /** Makes the statements. It may be called again, after nothing of the last time was kept. */
  make(run: RunStatement): Promise<T>;
}

/** A connection, and what leaves receipts on it. */
interface Lane {
  readonly connection: Connection;
  readonly writer: ReceiptWriter;
}

/**
 * Runs transactions that may take long, each on a connection of its own for as long as it takes. Each is made once, as a
 * whole or not at all: its last statement leaves a receipt.
 */
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

  /** Ends the transactions that run, which then change nothing, and rejects those that wait. */
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
        // The database undoes uncommitted statements.
        connection.drop(client);
        if (!(error instanceof Conflict)) throw explainFailure(error);
        if (attempt === attemptsMax) throw notDone(error);
      }
    }
  }
}

/** Runs a statement of a transaction. Errors: Conflict if the transaction was undone and can be made again. */
async function query<Row extends object>(
  connection: Connection,
  client: pg.Client,
  text: string,
  values: unknown[],
): Promise<readonly Row[]> {
  try {
    // Several statements in one text cannot have parameters.
    const asked = values.length === 0 ? client.query(text) : client.query(text, values);
    return (await connection.within(client, performance.now() + statementMs, asked)).rows as Row[];
  } catch (error) {
    const isToRepeat = isConflict(error) || needsNewConnection(error);
    throw isToRepeat ? new Conflict('the transaction was undone', { cause: error }) : error;
  }
}
