import type { Engine, RecordChange } from './engine.js';
import { keyAfter } from './key-encoding.js';

/** A range of stored keys that holds dead records: from `gte` up to, not including, `lt`. */
export interface DeadRange {
  readonly gte: string;
  readonly lt: string;
}

/** Keys read in one go; few, so that a request waits little. */
const stepRows = 500;

/** A large range is compacted in slices of so many rows, so that a close waits for no more than one of them. */
const sliceRows = 20_000;

/** A slice also ends after so many bytes on disk. Estimate. */
const sliceBytes = 8 * 1024 * 1024;

/** LevelDB's own: bytes of keys fetched in one hop to its threads. The default ends a step early. */
const ownOptions: object = { highWaterMarkBytes: 1024 * 1024 };

/** What LevelDB can do and the engine in memory, which keeps no dead records, cannot. */
interface Compactable {
  compactRange(start: string, end: string): Promise<void>;
  approximateSize(start: string, end: string): Promise<number>;
}

/** Returns LevelDB's own functions, or undefined for the engine in memory. */
export function compactable(engine: object): Compactable | undefined {
  return 'compactRange' in engine ? (engine as Compactable) : undefined;
}

/** What a walk over a range found. */
export interface WalkedRange {
  readonly rows: number;
  /** Where the range is cut into slices, in order. */
  readonly cuts: readonly string[];
}

/** Hears of each run of keys; `rows` counts them and those before. */
export type TakeKeys = (keys: readonly string[], rows: number, isLast: boolean) => Promise<void>;

/**
 * Walks over the keys of a range once and hands each run of them to `take`. Each step starts after the last key of the
 * one before, so records that `take` has deleted are not passed again. The last run may be empty.
 *
 * Returns undefined where `goesOn`, which is asked before each step, ended the walk early.
 */
export async function walkRange(
  engine: Engine,
  { gte, lt }: DeadRange,
  goesOn: () => boolean,
  take: TakeKeys = async () => {},
): Promise<WalkedRange | undefined> {
  const level = compactable(engine);
  const cuts: string[] = [];
  let rows = 0;
  let slice = { from: gte, startRow: 0 };
  for (let from = gte; ; ) {
    if (!goesOn()) return undefined;
    const keys = await engine.keys({ gte: from, lt, limit: stepRows, ...ownOptions }).all();
    const last = keys.length < stepRows ? undefined : keys.at(-1);
    rows += keys.length;
    await take(keys, rows, last === undefined);
    if (last === undefined) return { rows, cuts };
    from = keyAfter(last);
    const isFull =
      rows - slice.startRow >= sliceRows || (level && (await level.approximateSize(slice.from, from)) >= sliceBytes);
    if (!isFull) continue;
    cuts.push(from);
    slice = { from, startRow: rows };
  }
}

/** A range to be cleared, and how. */
export interface Clearing extends DeadRange {
  readonly cuts: readonly string[];
  /** Asked before each slice. */
  readonly goesOn: () => boolean;
  /** Writes the changes that it is given, with others in the same batch if the caller likes. */
  readonly write: (changes: readonly RecordChange[]) => Promise<void>;
}

/**
 * Clears the dead records of a range out of LevelDB's files, slice by slice. Returns false where `goesOn` ended it
 * early, with nothing written.
 *
 * LevelDB drops a deleted record when it merges a file into the level below. It never rewrites the lowest level, and a
 * write buffer may have gone there as it was, dead records included. So both ends of the range, which are no keys of
 * entities, are deleted above that file, and a second pass merges the two.
 */
export async function clearRange(engine: Engine, { gte, lt, cuts, goesOn, write }: Clearing): Promise<boolean> {
  const level = compactable(engine);
  let from = gte;
  for (const to of [...cuts, lt]) {
    if (!goesOn()) return false;
    await level?.compactRange(from, to);
    from = to;
  }
  if (!goesOn()) return false;
  await write([gte, lt].map((key) => ({ key, value: null })));
  await level?.compactRange(gte, lt);
  return true;
}
