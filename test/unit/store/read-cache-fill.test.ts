import { expect, it } from 'vitest';
import { ReadCache } from '../../../src/store/read-cache.js';

const prefix = 'entity\u0000account\u0000table\u0000';
const end = `${prefix.slice(0, -1)}\u0001`;
const keys = Array.from({ length: 1000 }, (_, at) => `${prefix}p\u0000${String(at).padStart(4, '0')}`);
const texts = keys.map(
  (_, at) => `{"odata.etag":"${at}","PartitionKey":"p","RowKey":"${String(at).padStart(4, '0')}"}`,
);

/** Reads the whole table as a scan does, ten chunks of a hundred rows. */
function scan(cache: ReadCache): void {
  const fill = cache.startFill(prefix);
  for (let at = 0; at < keys.length; at += 100) {
    const from = at === 0 ? prefix : `${keys[at - 1]}\u0000`;
    const to = at === 900 ? end : `${keys[at + 99]}\u0000`;
    fill.keep(from, to, keys.slice(at, at + 100), texts.slice(at, at + 100));
  }
  cache.endFill(fill);
}

it('A table that fits the cache is there whole after a second scan takes in what the first had to leave', () => {
  const bytes = keys.reduce((sum, key, at) => sum + key.length + (texts[at]?.length ?? 0) + 64, 0);
  const cache = new ReadCache(Math.ceil(bytes * 1.3));
  const wholeTable = () => cache.readPage(prefix, [{ gte: prefix, lt: end }], { ranges: [{}], rowsMax: 1000 });

  scan(cache);
  expect(wholeTable()).toBeUndefined();

  scan(cache);
  expect(wholeTable()?.rows).toEqual(texts);
});
