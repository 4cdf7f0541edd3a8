import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import type { DatabasePlace } from '../../store-options.js';
import { Connection } from './connection.js';
import { nameOf, openMs, readAddress } from './database-address.js';
import { capital, explainOpenFailure } from './explain-open-failure.js';
import { isDiskFull, needsNewConnection } from './failures.js';

/** A connection outside of the pool. */
interface LoneConnection {
  readonly client: pg.Client;
  /** Returns an error of the client as one with what to do. */
  explain(error: unknown): unknown;
  end(): Promise<void>;
}

/**
 * Opens a connection without limits on the time of a statement or of a transaction.
 *
 * Errors: StoreError with what to do; its message never contains the password.
 */
export async function openLoneConnection(
  address: DatabasePlace,
  prepare: (client: pg.Client) => Promise<void>,
): Promise<LoneConnection> {
  const connection = new Connection(readAddress(address));
  let isOpen = false;
  try {
    const client = await connection.open(performance.now() + openMs);
    isOpen = true;
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await prepare(client);
    return { client, explain: (error) => explainFailure(error, address), end: () => connection.end() };
  } catch (error) {
    await connection.end();
    throw isOpen ? explainFailure(error, address) : explainOpenFailure(error, address);
  }
}

function explainFailure(error: unknown, address: DatabasePlace): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const name = capital(nameOf(address));
  if (isDiskFull(error)) {
    const remedy = 'Free space on it, and try again.';
    return new StoreError('disk-full', `The disk of ${nameOf(address)} is full.`, remedy);
  }
  const message = error.message.replace(/\.$/, '');
  const reason = needsNewConnection(error) ? `the connection was lost (${message})` : message;
  return new StoreError(
    'no-access',
    `${name} cannot be used: ${reason}.`,
    'Check the database and the rights of its user, and try again.',
  );
}

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
