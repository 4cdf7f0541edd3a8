import type pg from 'pg';
import type { QueryResult } from 'pg';
import { Connection, type ConnectionCounts } from '../connection/connection.js';
import type { DatabaseConfig } from '../connection/database-address.js';
import { explainFailure, isUndone, needsNewConnection, notDone } from '../connection/failures.js';
import type { Statement } from '../schema/statements.js';

/** The time limit of a read, with all attempts. Unit: milliseconds. */
export const readMs = 10_000;

/** Connections for lookups, with pipelined statements. */
export class Readers {
  readonly #connections: readonly Connection[];
  #turn = 0;

  constructor(config: DatabaseConfig, size: number, counts: ConnectionCounts) {
    const pipelined = { ...config, pipeline: true };
    this.#connections = Array.from({ length: size }, () => new Connection(pipelined, counts));
  }

  get size(): number {
    return this.#connections.length;
  }

  /** Runs a read-only statement, and retries it if its connection is lost. Errors: StoreUnavailable. */
  async run(statement: Statement, values: unknown[], forMs = readMs): Promise<QueryResult> {
    const connection = this.#connections[this.#turn++ % this.#connections.length] as Connection;
    return again(connection, performance.now() + forMs, (client, endsAt) =>
      connection.run(client, statement, values, endsAt),
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.#connections.map((one) => one.end()));
  }
}

/** Retries a read after a lost connection or a rollback, until `endsAt`. Errors: StoreUnavailable; those of `read`. */
export async function again<T>(
  connection: Connection,
  endsAt: number,
  read: (client: pg.Client, endsAt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const client = await connection.open(endsAt).catch((error: unknown) => {
      throw explainFailure(error);
    });
    try {
      return await read(client, endsAt);
    } catch (error) {
      if (!needsNewConnection(error) && !isUndone(error)) throw explainFailure(error);
      if (performance.now() >= endsAt) throw notDone(error);
      // A starting database refuses connections immediately.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(100, 2 ** attempt)));
    }
  }
}
