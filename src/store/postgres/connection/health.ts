import { randomBytes } from 'node:crypto';
import type { QueryResult } from 'pg';
import { WritesObstructed } from '../../store-unavailable.js';
import { again } from '../read/readers.js';
import { Connection, type ConnectionCounts } from './connection.js';
import type { DatabaseConfig } from './database-address.js';
import { isDiskFull, isLockTimeout, notDone } from './failures.js';

/** How long a check may take. Unit: milliseconds. */
const healthMs = 2000;

const askWhetherReadOnly =
  "SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only')::bool AS read_only";

/** Takes the locks that writes of entities take. All statements are one transaction, and nothing is changed. */
const takeLocks = `SET LOCAL lock_timeout = '1s';
LOCK TABLE tables IN ROW SHARE MODE;
LOCK TABLE entities, writers IN ROW EXCLUSIVE MODE`;

/** Size of a test row that needs new space. Unit: bytes. (Our choice: more than pages of tables may have left.) */
const fillBytes = 256 * 1024;

/** Checks the database on a connection of its own, which no request occupies. */
export class Health {
  readonly #connection: Connection;
  readonly #counts: ConnectionCounts;
  #checking: Promise<void> | undefined;

  constructor(config: DatabaseConfig, counts: ConnectionCounts) {
    this.#connection = new Connection(config, counts);
    this.#counts = counts;
  }

  /** Returns whether the database answers. Errors: StoreUnavailable. */
  async answers(): Promise<boolean> {
    return (await this.#ask('SELECT 1')).rowCount === 1;
  }

  /** Resolves if writes can succeed. Calls at the same time share one check. Errors: StoreUnavailable. */
  checkWrites(): Promise<void> {
    this.#checking ??= this.#checkWrites().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Closes the connection for good. */
  end(): Promise<void> {
    return this.#connection.end();
  }

  async #checkWrites(): Promise<void> {
    const { rows } = await this.#ask(askWhetherReadOnly);
    if (rows[0].standby === true) this.#connection.doubt();
    if (rows[0].standby === true || rows[0].read_only === true) throw notDone(new Error('it takes no writes'));
    await this.#ask(takeLocks);
    if (this.#counts.isDiskFull) await this.#tryToFill();
    if (this.#counts.waiting.size === 0) return;
    // Otherwise a server that gets no requests because of this answer would never find out that it can have them.
    for (const one of this.#counts.waiting) void one.open(performance.now()).catch(() => {});
    throw new WritesObstructed(
      'too-few-connections',
      'The database gives this server fewer connections than it needs.',
    );
  }

  /** Finds out whether there is space again, with a row that nobody sees. Errors: WritesObstructed; StoreUnavailable. */
  async #tryToFill(): Promise<void> {
    const text = randomBytes(fillBytes / 2).toString('hex');
    // Both are one transaction.
    await this.#ask(
      `INSERT INTO writers (id, seq, answer, seen) VALUES (-1, 0, '${text}', now()); DELETE FROM writers WHERE id = -1`,
    );
    this.#counts.isDiskFull = false;
  }

  #ask(text: string): Promise<QueryResult> {
    return again(this.#connection, performance.now() + healthMs, (client, endsAt) =>
      this.#connection.within(client, endsAt, client.query(text)).catch((error: unknown) => {
        if (isLockTimeout(error)) {
          throw new WritesObstructed(
            'tables-locked',
            'Another session of the database holds a lock on the tables.',
            error,
          );
        }
        if (isDiskFull(error)) throw new WritesObstructed('disk-full', 'The disk of the database is full.', error);
        throw error;
      }),
    );
  }
}
