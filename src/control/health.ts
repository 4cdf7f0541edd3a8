import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerJson, type ControlAnswer, type ControlRow } from './control-row.js';

/** What health asks of a store. */
export interface StoreHealth {
  /** Returns whether the store answers a read. */
  answers(): boolean | Promise<boolean>;
  /** Fails while no write can succeed: with a `TablesLocked` while another program keeps writes waiting. */
  checkWrites(): Promise<void>;
}

/** Whether a server wants no more requests. */
export interface Stopping {
  readonly isStopping: boolean;
}

/** Returns the rows for health: whether the process answers, and whether it serves requests. */
export function healthRows(store: StoreHealth, server: Stopping): readonly ControlRow[] {
  const run = () => readiness(store, server);
  return [
    { method: 'GET', path: `${controlRoot}/health`, purpose: 'whether requests are served', isOpen: true, run },
    {
      method: 'GET',
      path: `${controlRoot}/health/live`,
      purpose: 'whether the process answers',
      isOpen: true,
      run: () => answerJson(200, { status: 'live' }),
    },
    { method: 'GET', path: `${controlRoot}/health/ready`, purpose: 'whether requests are served', isOpen: true, run },
  ];
}

/**
 * Returns 200 with `ready`, or 503 with the reason: `stopping`, `writes-fail` (reads still work), `tables-locked` (by
 * another program that uses the database) or `store-fails`. The
 * path without a last part means the same, because most health checks are set up with one path.
 */
async function readiness(store: StoreHealth, { isStopping }: Stopping): Promise<ControlAnswer> {
  if (isStopping) return answerJson(503, { status: 'stopping' });
  // Writes are checked first, because that may reopen the engine.
  const failure = await store.checkWrites().then(
    () => undefined,
    (error: unknown) => (error instanceof Error && error.name === 'TablesLocked' ? 'tables-locked' : 'writes-fail'),
  );
  try {
    if (await store.answers()) return answerJson(failure ? 503 : 200, { status: failure ?? 'ready' });
  } catch {
    // The log has the reason, where requests failed.
  }
  return answerJson(503, { status: 'store-fails' });
}
