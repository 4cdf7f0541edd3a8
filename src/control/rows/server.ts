import type { DialectName } from '../../protocol/access/accounts.js';
import type { HealthStatus } from '../../verbs/contract.js';
import { controlRoot } from '../../wire/reserved-endpoints.js';
import { answerJson, type ControlRow } from '../control-row.js';

/** What health asks of a store. */
export interface StoreHealth {
  /** Returns whether the store answers a read. */
  answers(): boolean | Promise<boolean>;
  /** Fails while no write can succeed: with an `obstacle` if it is known what has to be removed. */
  checkWrites(): Promise<void>;
}

/** Whether a server wants no more requests. */
export interface Stopping {
  readonly isStopping: boolean;
}

/** Returns the row that tells whether the process answers. */
export const livenessRow: ControlRow = {
  method: 'GET',
  path: `${controlRoot}/health/live`,
  purpose: 'whether the process answers',
  isOpen: true,
  run: () => answerJson(200, { status: 'live' }),
};

/** Returns `ready`, or the reason: `stopping`, `writes-fail` (reads still work), the obstacle of writes, or `store-fails`. */
export async function readiness(store: StoreHealth, { isStopping }: Stopping): Promise<HealthStatus> {
  if (isStopping) return 'stopping';
  // Writes are checked first, because that may reopen the engine.
  const failure = await store.checkWrites().then(
    () => undefined,
    (error: unknown) => (isObstructed(error) ? error.obstacle : 'writes-fail'),
  );
  try {
    if (await store.answers()) return failure ?? 'ready';
  } catch {
    // The log has the reason, where requests failed.
  }
  return 'store-fails';
}

function isObstructed(error: unknown): error is Error & { readonly obstacle: HealthStatus } {
  return error instanceof Error && 'obstacle' in error;
}

/** What a server tells about itself. */
export interface ServerInfo {
  readonly accounts: () => readonly string[];
  /**
   * Returns the root of the listener of a service for a client that reached a listener at `root`. `port` is the port of that
   * listener. The port of another listener is its own: how it is published is not known.
   */
  readonly rootOf: (root: string, port: number | undefined, dialect: DialectName) => string;
  /** Returns the service that listens on a port of this machine. */
  readonly serviceAt: (port: number | undefined) => DialectName | undefined;
  /** Milliseconds since 1970. */
  readonly started: number;
}
