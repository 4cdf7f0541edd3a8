import type { QueryPlan } from '../../query/plan.js';
import { compileTextTest } from '../../query/text-test.js';
import { EventLoopTurn } from '../event-loop-turn.js';
import { GrowingPage } from '../growing-page.js';
import type { Page } from '../store.js';
import { CacheWalk } from './cache-walk.js';
import type { CommitQueue } from './commit-queue.js';
import type { Engine } from './engine.js';
import { encodeRange } from './key-encoding.js';
import type { EngineMender } from './mend-engine.js';
import type { ReadCache, StoredRange } from './read-cache.js';
import { type RangeReading, readRange } from './read-range.js';
import { SharedView } from './shared-view.js';

/** Where the rows of a page come from. */
export interface PageSource {
  readonly engine: Engine;
  readonly queue: CommitQueue;
  readonly cache: ReadCache;
  readonly mender: EngineMender;
}

/**
 * Reads one page of a table: from the cache as far as it knows the rows, then from the engine.
 *
 * The whole page is of one moment: when the cache was first asked. `isGone` returns whether the client has left.
 * Errors: Abandoned once it has.
 */
export async function readPage(
  { engine, queue, cache, mender }: PageSource,
  prefix: string,
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page> {
  const page = new GrowingPage(plan);
  const turn = new EventLoopTurn(isGone);
  const ranges = plan.ranges.map((range) => encodeRange(prefix, range));
  const walk = new CacheWalk(cache, prefix, ranges, plan);
  let state = walk.goOn(page, turn);
  if (state === 'done') return page.finish();

  mender.startScan();
  const fill = cache.startFill(prefix, walk.read);
  let view: SharedView | undefined;
  try {
    // An iterator that is made now needs no view. Later ones, and those of further ranges, must see this moment too.
    const needsView = state === 'paused' || walk.rest.length > 1;
    view = queue.view?.hold() ?? (needsView ? new SharedView(engine) : undefined);
    while (state === 'paused') {
      await turn.next();
      state = fill.hasChanged(walk.from) ? 'unknown' : walk.goOn(page, turn);
    }
    if (state === 'unknown') {
      await scan(engine, walk.rest, plan, page, { snapshot: view?.snapshot, isGone, fill, turn });
    }
    return page.finish();
  } finally {
    cache.endFill(fill);
    view?.release();
    mender.endScan();
  }
}

/** Adds rows of the engine to a page until it is full. */
async function scan(
  engine: Engine,
  ranges: readonly StoredRange[],
  { filter }: QueryPlan,
  page: GrowingPage,
  { turn, ...reading }: RangeReading & { readonly turn: EventLoopTurn },
): Promise<void> {
  const matches = filter && compileTextTest(filter);
  for (const range of ranges) {
    const rowsMax = matches ? undefined : page.rowsWanted;
    for await (const chunk of readRange(engine, range, { ...reading, rowsMax })) {
      for (let row = 0; row < chunk.length; ) {
        const first = row;
        const stop = Math.min(chunk.length, row + turn.rows);
        for (; row < stop; row++) {
          const text = chunk[row] ?? '';
          if ((!matches || matches(text)) && !page.add(text)) {
            page.examined += row + 1 - first;
            return;
          }
        }
        page.examined += row - first;
        if (turn.isOver(row - first)) await turn.next();
      }
    }
  }
}
