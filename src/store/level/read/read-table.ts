import { partMax, type StoredPart } from '../../stored-parts.js';
import type { Layer, TableRecord } from '../directories/table-directory.js';
import { prefixOfLayer } from '../engine/key-encoding.js';
import { placeOfRow, placeRange } from '../order/ordinal-encoding.js';
import { PlacedRows } from '../order/ordinal-rows.js';
import { sourcesOf } from './merge-rows.js';
import { type PartsSource, readInParts, readShortly } from './read-in-parts.js';

/**
 * Yields a table with its entities in its order, in short reads. `layers` are where its rows are. What these show does not change.
 */
export async function* readTable(
  source: PartsSource,
  account: string,
  { name, created, policies = [], order }: TableRecord,
  layers: readonly Layer[],
): AsyncGenerator<StoredPart> {
  yield { kind: 'table', account, name, created, policies, ...(order && { order }) };
  if (order === undefined) {
    for await (const { texts } of readInParts(source, { layers })) {
      for (let at = 0; at < texts.length; at += partMax.entities) {
        yield { kind: 'entities', texts: texts.slice(at, at + partMax.entities) };
      }
    }
    return;
  }
  const { gte, lt } = placeRange(undefined);
  const rangeOf = (prefix: string) => ({ gte: prefix + gte, lt: prefix + lt });
  for await (const { rows, texts } of readInParts(source, { layers, rangeOf })) {
    // What the tail has changes between two reads.
    const sources = () => sourcesOf(source.tail, layers.map(prefixOfLayer));
    const placed = texts.map((row, at) => ({ row, place: placeOfRow(rows[at] ?? '') }));
    const entities = new PlacedRows(source.engine, sources).entities([placed]);
    for (let next = await readShortly(source, () => entities.next()); !next.done; ) {
      yield { kind: 'entities', texts: next.value.map(({ text }) => text) };
      next = await readShortly(source, () => entities.next());
    }
  }
}
