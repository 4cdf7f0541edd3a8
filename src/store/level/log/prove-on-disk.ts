import { compactable } from '../engine/compact-range.js';
import type { Engine } from '../engine/engine.js';
import { EngineGate } from '../engine/engine-gate.js';
import { commitsKey } from '../engine/key-encoding.js';
import type { CommitLog } from './commit-log.js';

/** A range without keys. */
const gap = '\u0000';

/**
 * Proves that all changes so far are on the engine's disk, and stores `last` as the number of its last commit. Errors: those of the engine.
 *
 * LevelDB syncs only its current log, and a write buffer may still exist only in an older one. `CompactRange` begins with a new buffer and
 * waits until the old one is a table file, which is synced and then named by a synced manifest. It reports no error, but LevelDB rejects
 * every write after one, so the last write proves that there was none. Source: LevelDB, db/db_impl.cc.
 */
export async function proveOnDisk(engine: Engine, last: number | string, gate = new EngineGate()): Promise<void> {
  const durable: object = { sync: true };
  await compactable(engine)?.compactRange(gap, gap);
  await gate.write(() => engine.put(commitsKey, String(last), durable));
}

/**
 * Proves that an engine has every commit, and restarts the log without them. `mark` follows the number of the last commit. Errors: those
 * of the engine and the log.
 */
export async function restartLog(
  engine: Engine,
  log: CommitLog,
  { gate, mark = '' }: { readonly gate?: EngineGate; readonly mark?: string } = {},
): Promise<void> {
  await proveOnDisk(engine, `${log.last}${mark}`, gate);
  await log.restart();
}
