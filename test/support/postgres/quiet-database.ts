import { setTimeout as later } from 'node:timers/promises';
import type pg from 'pg';

/** Waits until the database has ended the statements of killed servers, which it may still make. */
export async function expectQuiet(client: pg.Client): Promise<void> {
  const text = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'tabularium' AND state <> 'idle' LIMIT 1";
  while ((await client.query(text)).rowCount !== 0) await later(5);
}
