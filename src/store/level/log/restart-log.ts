import type { Engine } from '../engine/engine.js';
import { proveOnDisk } from './catch-up.js';
import type { CommitLog } from './commit-log.js';

/** Lets an engine that has every commit prove it, and then begins the log again, without them. Errors: those of the engine and the log. */
export async function restartLog(engine: Engine, log: CommitLog): Promise<void> {
  await proveOnDisk(engine, log.last);
  await log.restart();
}
