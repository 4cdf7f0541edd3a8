import type { EntityText } from '../../../entity/stored/entity.js';
import { compileTextTest } from '../../../query/filter/evaluate-filter.js';
import type { QueryPlan } from '../../../query/plan/plan.js';
import { EventLoopTurn } from '../../event-loop-turn.js';
import { GrowingPage } from '../../growing-page.js';
import type { Page } from '../../store.js';
import type { Layer, TableRecord } from '../directories/table-directory.js';
import type { Engine } from '../engine/engine.js';
import type { EngineGate } from '../engine/engine-gate.js';
import { encodeRange, prefixOfLayer, type StoredRange } from '../engine/key-encoding.js';
import type { EngineReopener } from '../engine/reopen-engine.js';
import type { CommitQueue } from '../log/commit-queue.js';
import { CacheWalk } from './cache-walk.js';
import { readRows, sourcesOf } from './merge-rows.js';
import type { ReadCache } from './read-cache.js';

/** The parts of a store that a page is read from. */
export interface PageSource {
  readonly engine: Engine;
  readonly queue: CommitQueue;
  readonly cache: ReadCache;
  readonly reopener: EngineReopener;
  readonly gate: EngineGate;
}

/** Where the rows of a table are. */
export interface TableRows {
  /** The prefixes of its layers, nearest first. A row of one hides those below it, and a tombstone hides them without being a row. */
  readonly prefixes: readonly [own: string, ...below: string[]];
  /** Whether the table is in the order of insertion. Its records then have places, see `ordinal-encoding.ts`. */
  readonly isPlaced: boolean;
}

/** Returns where the rows of a table with these layers are. */
export function rowsOf(layers: readonly Layer[], { order }: Pick<TableRecord, 'order'>): TableRows {
  const [own = '', ...below] = layers.map(prefixOfLayer);
  return { prefixes: [own, ...below], isPlaced: order === 'insertion' };
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
  { engine, queue, cache, reopener, gate }: PageSource,
  { prefixes, isPlaced }: TableRows,
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page | undefined> {
  const turn = new EventLoopTurn(isGone);
  const [prefix] = prefixes;
  const ranges = plan.ranges.map((range) => encodeRange(prefix, range, isPlaced));
  const page = new GrowingPage(plan);
  const walk = new CacheWalk(cache, prefix, ranges, plan);
  let state = walk.advance(page, turn);
  if (state === 'done') return page.finish();

  if (reopener.scannable) return undefined;
  gate.enter();
  // Inside the gate the engine does not change, and the tail is taken now, so whatever is read later shows this moment.
  try {
    const fill = cache.startFill(prefix, walk.read, queue.tail);
    const sources = sourcesOf(queue.tail, prefixes);
    while (state === 'paused') {
      await turn.next();
      state = fill.hasChanged ? 'miss' : walk.advance(page, turn);
    }
    if (state === 'miss') {
      const hold = (closed: Promise<unknown>) => gate.hold(closed);
      const rows = (range: StoredRange, rowsMax: number | undefined) =>
        readRows(engine, sources, range, { isGone, fill, hold, rowsMax });
      await scan(rows, walk.rest, plan, page, turn);
    }
    return page.finish();
  } finally {
    gate.leave();
  }
}

/** Adds rows from the engine to a page until it is full. `rowsIn` yields those of a range in chunks. */
async function scan(
  rowsIn: (range: StoredRange, rowsMax: number | undefined) => AsyncIterable<readonly EntityText[]>,
  ranges: readonly StoredRange[],
  { filter }: QueryPlan,
  page: GrowingPage,
  turn: EventLoopTurn,
): Promise<void> {
  const test = filter && compileTextTest(filter);
  for (const range of ranges) {
    for await (const chunk of rowsIn(range, test ? undefined : page.rowsWanted)) {
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
