import { expect, it } from 'vitest';
import { Tail } from '../../../../../src/store/level/log/tail.js';
import { CacheBlock } from '../../../../../src/store/level/read/cache-block.js';
import { ReadCache } from '../../../../../src/store/level/read/read-cache.js';

const prefix = 'entity\u0000account\u0000table\u0000';
const end = `${prefix.slice(0, -1)}\u0001`;
const keys = Array.from({ length: 1000 }, (_, at) => `${prefix}p\u0000${String(at).padStart(4, '0')}`);
const texts = keys.map(
  (_, at) => `{"odata.etag":"${at}","PartitionKey":"p","RowKey":"${String(at).padStart(4, '0')}"}`,
);

/** The size of the whole table in one block. Unit: bytes. */
const tableBytes = new CacheBlock(prefix, end, [...keys], [...texts]).bytes;

/** Reads the whole table like a scan, in ten chunks of a hundred rows. */
function scan(cache: ReadCache): void {
  const read = cache.startRead();
  for (let at = prefix, block = cache.find(prefix, at); block; at = block.to, block = cache.find(prefix, at)) {
    cache.use(block, read);
  }
  const fill = cache.startFill(prefix, read, new Tail());
  for (let at = 0; at < keys.length; at += 100) {
    const from = at === 0 ? prefix : `${keys[at - 1]}\u0000`;
    const to = at === 900 ? end : `${keys[at + 99]}\u0000`;
    fill.keep(from, to, keys.slice(at, at + 100), texts.slice(at, at + 100));
  }
}

const knownRows = (cache: ReadCache) => keys.filter((key) => cache.get(prefix, key) !== undefined).length;

it('A table that fits into the cache is cached completely after a second scan', () => {
  const cache = new ReadCache(Math.ceil(tableBytes * 1.3));

  scan(cache);
  expect(knownRows(cache)).toBeLessThan(1000);

  scan(cache);
  expect(knownRows(cache)).toBe(1000);
});

it('A table that is larger than the cache keeps the same rows in it, regardless of the number of scans', () => {
  const cache = new ReadCache(Math.ceil(tableBytes * 0.7));
  scan(cache);
  scan(cache);
  const known = knownRows(cache);
  expect(known).toBeGreaterThanOrEqual(500);

  for (let time = 0; time < 100; time++) {
    scan(cache);
    expect(knownRows(cache)).toBe(known);
    expect(cache.get(prefix, keys[0] ?? '')).toBe(texts[0]);
  }
});

it('Columns do not evict rows of a table that fills the cache, and are evicted when rows need the space', () => {
  const cache = new ReadCache(Math.ceil(tableBytes * 1.1));
  scan(cache);
  scan(cache);
  for (let time = 0; time < 30; time++) {
    const read = cache.startRead();
    for (let at = prefix, block = cache.find(prefix, at); block; at = block.to, block = cache.find(prefix, at)) {
      cache.use(block, read);
      cache.column(block, `Missing${time}`, read);
      cache.column(block, 'RowKey', read);
    }
    expect(knownRows(cache)).toBe(1000);
  }
});

it('Columns evict rows that no read has used for long', () => {
  const cache = new ReadCache(Math.ceil(tableBytes * 1.1));
  scan(cache);
  scan(cache);
  const other = 'entity\u0000account\u0000other\u0000';
  const key = `${other}p\u0000r`;
  let read = cache.startRead();
  const fill = cache.startFill(other, read, new Tail());
  fill.keep(
    key,
    `${key}\u0000`,
    [key],
    [`{"odata.etag":"","PartitionKey":"p","RowKey":"r","Text":"${'x'.repeat(15_000)}"}`],
  );
  const columnOf = () => {
    const block = cache.find(other, key);
    if (!block) throw new Error('the block must be there');
    cache.use(block, read);
    return cache.column(block, 'Text', read);
  };
  expect(columnOf()).toBeUndefined();

  for (let time = 0; time < 1000; time++) read = cache.startRead();
  expect(columnOf()?.types).toEqual(['Edm.String']);
  expect(knownRows(cache)).toBeLessThan(1000);
});
