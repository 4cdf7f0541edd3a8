import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import { Connection } from './connection.js';
import { type DatabaseConfig, nameOf } from './database-address.js';
import { capital } from './explain-open-failure.js';
import { notDone, stateOf } from './failures.js';
import { poolerRemedy } from './session.js';

/** The time limit for a second connection. Unit: milliseconds. */
const secondMs = 5000;

/** The number of comparisons of two connections: a pooler with several free sessions hands out different ones. */
const comparisons = 4;

/**
 * Checks that each connection keeps a session of the database. Errors: StoreError, with the setting to change, if a pooler shares sessions
 * among connections, or has only one; the database's own.
 */
export async function checkSessions(client: pg.Client, config: DatabaseConfig): Promise<void> {
  const connection = new Connection(config);
  const name = capital(nameOf(config.address));
  try {
    const second = await connection.open(performance.now() + secondMs).catch((error: unknown) => {
      if (error instanceof StoreError) throw error;
      throw new StoreError(
        'no-access',
        `${name} gives one connection, and not a second one: ${notDone(error).message}`,
        'Allow more connections: default_pool_size in PgBouncer, max_connections or CONNECTION LIMIT in PostgreSQL.',
      );
    });
    if (await shareSessions(client, second)) {
      const fault = `${name} is reached through a pooler that shares sessions among connections.`;
      throw new StoreError('no-access', fault, poolerRemedy);
    }
  } finally {
    await connection.end();
  }
}

/** Whether two connections share or change their sessions. */
async function shareSessions(first: pg.Client, second: pg.Client): Promise<boolean> {
  const sessionOf = async (client: pg.Client) => (await client.query('SELECT pg_backend_pid() AS id')).rows[0].id;
  const ids = [await sessionOf(first), await sessionOf(second)];
  if (ids[0] === ids[1]) return true;
  for (let round = 0; round < comparisons; round++) {
    if ((await sessionOf(first)) !== ids[0]) return true;
    try {
      // The transaction holds its session, which may be the one returned last.
      await second.query('BEGIN');
      if ((await sessionOf(second)) !== ids[1] || (await sessionOf(first)) !== ids[0]) return true;
      await second.query('COMMIT');
    } catch (error) {
      // PgBouncer's statement mode rejects transactions with a protocol error.
      if (stateOf(error) === '08P01') return true;
      throw error;
    }
  }
  return false;
}
