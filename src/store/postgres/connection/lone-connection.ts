import type pg from 'pg';
import { StoreError } from '../../store-error.js';
import type { DatabasePlace } from '../../store-options.js';
import { Connection } from './connection.js';
import { nameOf, openMs, readAddress } from './database-address.js';
import { capital, explainOpenFailure } from './explain-open-failure.js';
import { isDiskFull, needsNewConnection } from './failures.js';

interface LoneConnection {
  readonly client: pg.Client;
  /** Converts an error of the client to one with the fix. */
  explain(error: unknown): unknown;
  end(): Promise<void>;
}

/** Opens a connection without time limits. Errors: StoreError with the fix; its message never contains the password. */
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

/** The advisory lock of `runAlone`. Any number that no other program uses. */
const lock = 7_462_619;

/**
 * Runs work under a lock among the servers of the schema. The end of a server releases its lock. Errors: StoreError with the fix; those of
 * the work.
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
