import type { QueryResult } from 'pg';
import { Connection, type ConnectionCounts } from '../connection/connection.js';
import type { DatabaseConfig } from '../connection/database-address.js';
import { isLockTimeout } from '../connection/failures.js';
import { again, readMs } from '../read/readers.js';
import { sweepEnded } from '../snapshots/branch-statements.js';
import { countDropped, forgetWriters, type Statement, sweepDropped } from './statements.js';

/** The number of rows that one statement removes. */
const portion = 500;

/** Time between two searches for tables that other servers dropped. Unit: milliseconds. */
const pauseMs = 60_000;

/** Pause while another server sweeps the last tables. Unit: milliseconds. */
const otherMs = 50;

/** The time limit for a lock, such as that of CREATE INDEX, before the sweep is postponed. (Our choice: others would queue behind it.) */
const lockTimeout = '100ms';

/** Removes the rows of dropped tables in the background, in portions, on a connection of its own. Servers share the work. */
export class Sweeper {
  readonly #connection: Connection;
  readonly #report: (error: unknown) => void;
  #sweeping: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: DatabaseConfig, counts: ConnectionCounts, report: (error: unknown) => void) {
    this.#connection = new Connection({ ...config, lockTimeout }, counts);
    this.#report = report;
  }

  /** Sweeps now and every minute. */
  start(): void {
    this.#timer = setInterval(() => this.wake(), pauseMs).unref();
    this.wake();
  }

  /** Sweeps now. */
  wake(): void {
    this.#isWanted = true;
    this.#sweeping ??= this.#sweep()
      .catch((error: unknown) => {
        if (!(error instanceof Error && isLockTimeout(error.cause))) this.#report(error);
      })
      .finally(() => {
        this.#sweeping = undefined;
        if (this.#isWanted && !this.#isStopped) this.wake();
      });
  }

  /** Resolves when all dropped tables are swept, including those of other servers. */
  async settled(): Promise<void> {
    for (;;) {
      this.wake();
      await this.#sweeping;
      const { rows } = await this.#run(countDropped);
      if (rows[0].dropped === 0) return;
      await new Promise((resolve) => setTimeout(resolve, otherMs));
    }
  }

  /** Stops after the portion in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#sweeping;
    await this.#connection.end();
  }

  async #sweep(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      await this.#run(sweepEnded);
      for (let from: Place = beginningOf('0'); !this.#isStopped; ) {
        const { rows } = await this.#run(sweepDropped, [portion, ...from]);
        const [swept] = rows as { table_id: string; pk: Buffer | null; rk: Buffer }[];
        if (!swept) break;
        const { table_id: id, pk, rk } = swept;
        from = pk ? [id, pk, rk] : beginningOf(String(BigInt(id) + 1n));
      }
      if (!this.#isStopped) await this.#run(forgetWriters);
    }
  }

  #run(statement: Statement, values: unknown[] = []): Promise<QueryResult> {
    return again(this.#connection, performance.now() + readMs, (client, endsAt) =>
      this.#connection.run(client, statement, values, endsAt),
    );
  }
}

/** The position at which a sweep resumes: a table, and the lowest keys in it. */
type Place = readonly [table: string, pk: Buffer, rk: Buffer];

function beginningOf(table: string): Place {
  return [table, Buffer.alloc(0), Buffer.alloc(0)];
}
