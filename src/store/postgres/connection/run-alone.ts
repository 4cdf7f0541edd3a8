import type { DatabasePlace } from '../../store-options.js';
import { openLoneConnection } from './lone-connection.js';

/** The advisory lock of servers that work alone. Any number that no other program uses. */
const lock = 7_462_619;

/**
 * Runs work while no other server of the schema runs any under this. A server that dies lets the next one begin.
 *
 * Errors: StoreError with what to do; those of the work.
 */
export async function runAlone<T>(address: DatabasePlace, work: () => Promise<T>): Promise<T> {
  const connection = await openLoneConnection(address, async (client) => {
    // The lock ends with the transaction, and the transaction with the connection.
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1::int, hashtext($2))', [lock, address.schema]);
  });
  try {
    return await work();
  } finally {
    await connection.end();
  }
}
