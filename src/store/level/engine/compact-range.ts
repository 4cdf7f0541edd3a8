import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunkOptions, type Engine } from './engine.js';
import type { EngineGate } from './engine-gate.js';
import { keyAfter, type StoredRange } from './key-encoding.js';

/** Number of keys in a step. Small, so that requests wait little. */
const stepRows = 500;

/** Number of rows in a slice. Closing a store waits for the compaction of at most one slice. */
const sliceRows = 20_000;

/** A slice also ends after this size on disk. Unit: bytes. Estimate. */
const sliceBytes = 8 * 1024 * 1024;

/** Functions of LevelDB on disk. The engine in memory lacks them, because it keeps no deleted records. */
interface Compactable {
  compactRange(start: string, end: string): Promise<void>;
  approximateSize(start: string, end: string): Promise<number>;
}

/** Returns the compaction functions of LevelDB; undefined for the engine in memory. */
export function compactable(engine: object): Compactable | undefined {
  return 'compactRange' in engine ? (engine as Compactable) : undefined;
}

/** The callbacks of a walk over a range. */
interface Walk {
  /** Is called before each step. Returns whether to continue. */
  readonly continues: () => boolean;
  /** Is called with the keys of each step. The last one may have none. */
  readonly take?: (keys: readonly string[], isLast: boolean) => Promise<void>;
  /** Is called at the end of each slice. Returns whether to continue. */
  readonly endSlice: (slice: StoredRange, isLast: boolean) => Promise<boolean>;
}

/**
 * Reads the keys of a range once, in steps. A step starts after the last key of the previous one, so it skips the keys that `take` has
 * deleted. Slices cover the whole range. Returns whether the walk reached the end.
 */
export async function walkRange(
  { engine, gate }: { readonly engine: Engine; readonly gate: EngineGate },
  { gte, lt }: StoredRange,
  { continues, take = async () => {}, endSlice }: Walk,
): Promise<boolean> {
  const level = compactable(engine);
  let start = gte;
  let rows = 0;
  for (let from = gte; continues(); ) {
    const options = { gte: from, lt, limit: stepRows, ...chunkOptions };
    const keys = await gate.read(() => engine.keys(options).all());
    const last = keys.length < stepRows ? undefined : keys.at(-1);
    await take(keys, last === undefined);
    if (last === undefined) return endSlice({ gte: start, lt }, true);
    from = keyAfter(last);
    // Lets requests in: in memory, nothing else in a step waits for another turn of the event loop.
    await nextTurn();
    rows += keys.length;
    if (rows < sliceRows && !(level && (await level.approximateSize(start, from)) >= sliceBytes)) continue;
    if (!(await endSlice({ gte: start, lt: from }, false))) return false;
    start = from;
    rows = 0;
  }
  return false;
}
