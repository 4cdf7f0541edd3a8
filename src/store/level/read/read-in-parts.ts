import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Layer } from '../directories/table-directory.js';
import type { Engine } from '../engine/engine.js';
import type { EngineGate } from '../engine/engine-gate.js';
import { keyAfter, prefixOfLayer, type StoredRange, wholeTable } from '../engine/key-encoding.js';
import type { Tail } from '../log/tail.js';
import { type MergedRecords, mergeRecords, sourcesOf } from './merge-rows.js';

/** The parts of a store that layers are read from. */
export interface PartsSource {
  readonly engine: Engine;
  readonly gate: EngineGate;
  readonly tail: Tail;
  /** Returns what a read must wait for while the engine is reopened. Absent: it never is. */
  readonly readable?: () => Promise<void> | undefined;
}

/** What to read of layers. */
export interface PartsReading {
  /** The layers, nearest first. What they show together does not change. */
  readonly layers: readonly Layer[];
  /** Returns the range in a layer with this prefix. Absent: all of it. */
  readonly rangeOf?: (prefix: string) => StoredRange;
  readonly keepsTombstones?: boolean;
}

/**
 * Yields what layers have together, however long the caller takes: each part is a short read with iterators of its own, between which
 * the engine gets batches and may be reopened.
 */
export async function* readInParts(
  source: PartsSource,
  { layers, rangeOf = wholeTable, keepsTombstones = false }: PartsReading,
): AsyncGenerator<MergedRecords> {
  const { engine, tail } = source;
  const prefixes = layers.map(prefixOfLayer);
  const [nearest = ''] = prefixes;
  const { gte, lt } = rangeOf(nearest);
  for (let after: string | undefined; ; ) {
    const part = await readShortly(source, async () => {
      const range = { gte: after === undefined ? gte : keyAfter(nearest + after), lt };
      return firstPart(engine, tail, prefixes, { range, keepsTombstones });
    });
    if (part.rows.length > 0) yield part;
    if (part.last === undefined) return;
    after = part.last;
    // Requests come first.
    await nextTurn();
  }
}

/** Runs a short read inside the gate. */
export async function readShortly<T>({ gate, readable }: PartsSource, work: () => Promise<T>): Promise<T> {
  for (;;) {
    for (let wait = readable?.(); wait; wait = readable?.()) await wait;
    if (!gate.opening) return gate.read(work);
    await gate.opening;
  }
}

/** Reads the first part of what layers have together. Its iterators are closed at the end. */
export async function firstPart(
  engine: Engine,
  tail: Tail,
  prefixes: readonly string[],
  { range, keepsTombstones }: { readonly range: StoredRange; readonly keepsTombstones: boolean },
): Promise<MergedRecords> {
  const reading = { keepsTombstones, fillsCache: false };
  for await (const part of mergeRecords(engine, sourcesOf(tail, prefixes), range, reading)) return part;
  return { rows: [], texts: [], last: undefined };
}
