import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine, RecordChange } from './engine.js';
import type { EngineGate } from './engine-gate.js';
import { keyAfter, type StoredRange } from './key-encoding.js';

/** Number of keys that one step reads. Small, so that requests wait little. */
const stepRows = 500;

/** Number of rows in a slice of a compaction. The close of a store waits for one slice at most. */
const sliceRows = 20_000;

/** A slice also ends after this size on disk. Unit: bytes. Estimate. */
const sliceBytes = 8 * 1024 * 1024;

/** LevelDB's option for the size of keys that one call returns. Unit: bytes. The default would end a step early. */
const levelOptions: object = { highWaterMarkBytes: 1024 * 1024 };

/** Functions of LevelDB on disk. The engine in memory does not have them, and does not keep deleted records. */
interface Compactable {
  compactRange(start: string, end: string): Promise<void>;
  approximateSize(start: string, end: string): Promise<number>;
}

/** Returns the compaction functions of LevelDB; undefined for the engine in memory. */
export function compactable(engine: object): Compactable | undefined {
  return 'compactRange' in engine ? (engine as Compactable) : undefined;
}

/** The result of a walk over a range. */
export interface WalkedRange {
  readonly rows: number;
  /** Keys at which to cut the range into slices, in order. */
  readonly cuts: readonly string[];
}

/** Is called with the keys of each step. `rows` counts these keys and all before them. */
export type TakeKeys = (keys: readonly string[], rows: number, isLast: boolean) => Promise<void>;

/**
 * Reads the keys of a range once, in steps, and calls `take` with the keys of each step. A step starts after the last key
 * of the step before, so it does not read again what `take` has deleted. The last step may have no keys.
 *
 * Returns undefined if `continues`, which is called before each step, returned false.
 */
export async function walkRange(
  { engine, gate }: { readonly engine: Engine; readonly gate: EngineGate },
  { gte, lt }: StoredRange,
  continues: () => boolean,
  take: TakeKeys = async () => {},
): Promise<WalkedRange | undefined> {
  const level = compactable(engine);
  const cuts: string[] = [];
  let rows = 0;
  let slice = { from: gte, startRow: 0 };
  for (let from = gte; ; ) {
    if (!continues()) return undefined;
    const options = { gte: from, lt, limit: stepRows, ...levelOptions };
    const keys = await gate.read(() => engine.keys(options).all());
    const last = keys.length < stepRows ? undefined : keys.at(-1);
    rows += keys.length;
    await take(keys, rows, last === undefined);
    if (last === undefined) return { rows, cuts };
    from = keyAfter(last);
    // Requests come first. In memory, nothing else in a step waits for another turn of the event loop.
    await nextTurn();
    const isFull =
      rows - slice.startRow >= sliceRows || (level && (await level.approximateSize(slice.from, from)) >= sliceBytes);
    if (!isFull) continue;
    cuts.push(from);
    slice = { from, startRow: rows };
  }
}

/** A range to compact. */
export interface Compaction extends StoredRange {
  /** Keys at which to cut the range into slices. */
  readonly cuts: readonly string[];
  /** Is called before each slice. Returns whether to continue. */
  readonly continues: () => boolean;
  /** Writes the given changes. The caller may add others to the same batch. */
  readonly write: (changes: readonly RecordChange[]) => Promise<void>;
}

/**
 * Removes the dead records of a range from LevelDB's files, slice by slice. Returns false, without having written
 * anything, if `continues` returned false.
 *
 * LevelDB drops a deleted record when it merges a file into the level below it. It never rewrites the lowest level, and a
 * write buffer may have been written there directly, with deleted records in it. So this function deletes both ends of
 * the range, which are not keys of entities. That creates a newer file over the same range, and a second compaction
 * merges the two.
 */
export async function compactRange(engine: Engine, { gte, lt, cuts, continues, write }: Compaction): Promise<boolean> {
  const level = compactable(engine);
  let from = gte;
  for (const to of [...cuts, lt]) {
    if (!continues()) return false;
    await level?.compactRange(from, to);
    from = to;
  }
  if (!continues()) return false;
  await write([gte, lt].map((key) => ({ key, value: null })));
  await level?.compactRange(gte, lt);
  return true;
}
