import type { QueryResult } from 'pg';
import { TablesLocked } from '../../store-unavailable.js';
import { again } from '../read/readers.js';
import { Connection, type ConnectionCounts } from './connection.js';
import type { DatabaseConfig } from './database-address.js';
import { isLockTimeout, notDone } from './failures.js';

/** How long a check may take. Unit: milliseconds. */
const healthMs = 2000;

const askWhetherReadOnly =
  "SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only')::bool AS read_only";

/** Takes the locks that writes of entities take. All statements are one transaction, and nothing is changed. */
const takeLocks = `SET LOCAL lock_timeout = '1s';
LOCK TABLE tables IN ROW SHARE MODE;
LOCK TABLE entities, writers IN ROW EXCLUSIVE MODE`;

/** Checks the database on a connection of its own, which no request occupies. */
export class Health {
  readonly #connection: Connection;
  #checking: Promise<void> | undefined;

  constructor(config: DatabaseConfig, counts: ConnectionCounts) {
    this.#connection = new Connection(config, counts);
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
  }

  #ask(text: string): Promise<QueryResult> {
    return again(this.#connection, performance.now() + healthMs, (client, endsAt) =>
      this.#connection.within(client, endsAt, client.query(text)).catch((error: unknown) => {
        throw isLockTimeout(error) ? new TablesLocked(error) : error;
      }),
    );
  }
}
