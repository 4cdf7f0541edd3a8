import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityText } from '../../../entity/stored/entity.js';
import { partMax, type StoredPart, type StoredTable } from '../../stored-parts.js';
import type { Layer } from '../directories/table-directory.js';
import type { Engine } from '../engine/engine.js';
import type { EngineGate } from '../engine/engine-gate.js';
import { encodeRange, keyAfter, prefixOfLayer, type StoredRange, wholeTable } from '../engine/key-encoding.js';
import type { Tail } from '../log/tail.js';
import { placeOfRow, placeRange, textOf } from '../order/ordinal-encoding.js';
import { PlacedRows } from '../order/ordinal-rows.js';
import { type MergedRecords, mergeRecords, sourcesOf } from './merge-rows.js';

/** The parts of a store that a read of layers needs. */
interface PartsSource {
  readonly engine: Engine;
  readonly gate: EngineGate;
  readonly tail: Tail;
  /** Returns a promise that a read must await while the engine is reopened. Absent: it never is. */
  readonly readable?: () => Promise<void> | undefined;
}

/** The selection of a read of layers. */
interface PartsReading {
  /** The layers, nearest first. Their merged rows never change. */
  readonly layers: readonly Layer[];
  /** Returns the range in a layer with this prefix. Default: all of it. */
  readonly rangeOf?: (prefix: string) => StoredRange;
  readonly keepsTombstones?: boolean;
}

/**
 * Yields the merged records of layers. The caller may take any time: each part is a short read with its own iterators, between which the
 * engine gets batches and may be reopened.
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
    // Lets requests in.
    await nextTurn();
  }
}

async function readShortly<T>({ gate, readable }: PartsSource, work: () => Promise<T>): Promise<T> {
  for (;;) {
    for (let wait = readable?.(); wait; wait = readable?.()) await wait;
    if (!gate.opening) return gate.read(work);
    await gate.opening;
  }
}

/** Reads the first part of merged layers, and closes its iterators. */
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

/** Yields a table and its entities in its order, in short reads. The merged rows of `layers` never change. */
export async function* readTable(
  source: PartsSource,
  table: StoredTable,
  layers: readonly Layer[],
): AsyncGenerator<StoredPart> {
  yield { kind: 'table', ...table };
  if (table.order === undefined) {
    for await (const texts of readByKey(source, table, layers)) yield { kind: 'entities', texts };
    return;
  }
  const { gte, lt } = placeRange(undefined);
  const rangeOf = (prefix: string) => ({ gte: prefix + gte, lt: prefix + lt });
  for await (const { rows, texts } of readInParts(source, { layers, rangeOf })) {
    // The tail changes between two reads.
    const sources = () => sourcesOf(source.tail, layers.map(prefixOfLayer));
    const placed = texts.map((row, at) => ({ row, place: placeOfRow(rows[at] ?? '') }));
    const entities = new PlacedRows(source.engine, sources).entities([placed]);
    for (let next = await readShortly(source, () => entities.next()); !next.done; ) {
      yield { kind: 'entities', texts: next.value.map(({ text }) => text) };
      next = await readShortly(source, () => entities.next());
    }
  }
}

/** Yields the entities of a table in key order, like `readTable`. */
export async function* readByKey(
  source: PartsSource,
  { order }: StoredTable,
  layers: readonly Layer[],
): AsyncGenerator<readonly EntityText[]> {
  const isPlaced = order === 'insertion';
  const rangeOf = (prefix: string) => encodeRange(prefix, {}, isPlaced);
  for await (const { texts } of readInParts(source, { layers, rangeOf })) {
    for (let at = 0; at < texts.length; at += partMax.entities) {
      const part = texts.slice(at, at + partMax.entities);
      yield isPlaced ? part.map(textOf) : part;
    }
  }
}
