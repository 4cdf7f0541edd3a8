import type { EntityText } from '../../../entity/stored/entity.js';
import { compileTextTest } from '../../../query/filter/text-test.js';
import type { QueryPlan } from '../../../query/plan/plan.js';
import { EventLoopTurn } from '../../event-loop-turn.js';
import { GrowingPage } from '../../growing-page.js';
import type { Page } from '../../store.js';
import type { Engine } from '../engine/engine.js';
import type { EngineGate } from '../engine/engine-gate.js';
import { encodeRange, type StoredRange } from '../engine/key-encoding.js';
import type { EngineReopener } from '../engine/reopen-engine.js';
import type { CommitQueue } from '../log/commit-queue.js';
import { CacheWalk } from './cache-walk.js';
import type { HiddenRanges } from './hidden-ranges.js';
import type { LayeredRows } from './layered-rows.js';
import { readRows, sourcesOf } from './merge-rows.js';
import type { ReadCache } from './read-cache.js';
import type { RangeReading } from './read-range.js';

/** The parts of a store that a page is read from. */
export interface PageSource {
  readonly engine: Engine;
  readonly queue: CommitQueue;
  readonly cache: ReadCache;
  readonly reopener: EngineReopener;
  readonly gate: EngineGate;
  readonly hidden: HiddenRanges;
}

/** The table that a page is read from. */
export interface ReadTable {
  readonly prefix: string;
  /** Whether the table is in the order of insertion. Its records then have places, see `place-encoding.ts`. */
  readonly isPlaced: boolean;
  /** Absent: all of its rows are below its prefix. */
  readonly layers: LayeredRows | undefined;
}

/**
 * Reads one page of a table: from the cache up to the first row that the cache does not have, then from the engine.
 *
 * Returns undefined if the engine cannot be scanned now.
 *
 * The whole page shows one moment, the one of the first read of the cache. `isGone` returns whether the client has
 * disconnected. Errors: Abandoned after it has.
 */
export async function readPage(
  { engine, queue, cache, reopener, gate, hidden }: PageSource,
  { prefix, layers, isPlaced }: ReadTable,
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page | undefined> {
  const turn = new EventLoopTurn(isGone);
  const ranges = plan.ranges.map((range) => encodeRange(prefix, range, isPlaced));
  const page = new GrowingPage(plan);
  const walk = new CacheWalk(cache, prefix, ranges, plan);
  let state = walk.advance(page, turn);
  if (state === 'done') return page.finish();

  if (reopener.scannable) return undefined;
  gate.enter();
  // Inside the gate the engine does not change, and the tail is taken now, so whatever is read later shows this moment.
  const fill = cache.startFill(prefix, walk.read);
  try {
    const sources = sourcesOf(queue.tail, layers?.prefixes ?? [prefix]);
    while (state === 'paused') {
      await turn.next();
      state = fill.hasChanged(walk.from) ? 'miss' : walk.advance(page, turn);
    }
    if (state === 'miss') {
      const rowsOf: RangeReader = (range, options) => readRows(engine, sources, range, options);
      const hold = (closed: Promise<unknown>) => gate.hold(closed);
      await scan(rowsOf, walk.rest, plan, page, { isGone, fill, turn, hold, hidden });
    }
    return page.finish();
  } finally {
    cache.endFill(fill);
    gate.leave();
  }
}

/** Returns the rows of a range in chunks, as `readRange` does. */
type RangeReader = (range: StoredRange, reading: RangeReading) => AsyncIterable<readonly EntityText[]>;

/** Adds rows from the engine to a page until it is full. */
async function scan(
  rowsOf: RangeReader,
  ranges: readonly StoredRange[],
  { filter }: QueryPlan,
  page: GrowingPage,
  { turn, ...reading }: RangeReading & { readonly turn: EventLoopTurn },
): Promise<void> {
  const test = filter && compileTextTest(filter);
  for (const range of ranges) {
    const rowsMax = test ? undefined : page.rowsWanted;
    for await (const chunk of rowsOf(range, { ...reading, rowsMax })) {
      const matches = test && ((row: number) => test(chunk[row] ?? ''));
      for (let row = 0; row < chunk.length; ) {
        const first = row;
        const stop = matches ? Math.min(chunk.length, row + turn.rows) : chunk.length;
        row = page.addRows(chunk, first, stop, matches);
        if (row < stop) return;
        if (turn.isOver(row - first)) await turn.next();
      }
    }
  }
}
