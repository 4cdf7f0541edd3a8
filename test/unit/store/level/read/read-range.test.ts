import { MemoryLevel } from 'memory-level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../../../src/store/level/engine/engine.js';
import { Tail } from '../../../../../src/store/level/log/tail.js';
import { ReadCache } from '../../../../../src/store/level/read/read-cache.js';
import { readRange } from '../../../../../src/store/level/read/read-range.js';

let engine: Engine;
/** The calls of the iterator: the number of rows of each read, seeks, and the close. */
let asked: (number | 'sought' | 'closed')[];
beforeEach(async () => {
  engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
  await engine.open();
  for (let row = 0; row < 2500; row++) await engine.put(`k${String(row).padStart(4, '0')}`, `row ${row}`);
  asked = [];
  const values = engine.values.bind(engine);
  engine.values = ((options: object) => {
    const iterator = values(options);
    const nextv = iterator.nextv.bind(iterator);
    iterator.nextv = async (size: number) => {
      asked.push(size);
      return nextv(size, {});
    };
    const seek = iterator.seek.bind(iterator);
    iterator.seek = (key: string) => {
      asked.push('sought');
      seek(key, {});
    };
    const close = iterator.close.bind(iterator);
    iterator.close = async () => {
      asked.push('closed');
      return close();
    };
    return iterator;
  }) as Engine['values'];
});
afterEach(() => engine.close());

const range = { gte: 'k', lt: 'l' };
const fill = new ReadCache(0).startFill('k', 1, new Tail());

describe('Rows of a range', () => {
  it('are read in chunks, and the next chunk is requested while the current one is processed', async () => {
    const sizes: number[] = [];
    for await (const chunk of readRange(engine, range, { fill })) sizes.push(chunk.length);

    expect(sizes).toEqual([1000, 1000, 500]);
  });

  it('are not read beyond the requested number', async () => {
    const rows: string[] = [];
    for await (const chunk of readRange(engine, range, { fill, rowsMax: 1700 })) rows.push(...chunk);

    expect(rows).toHaveLength(1700);
  });

  it.each([
    ['all were read', 3000, 3000],
    ['enough were read', 100, 100],
    ['the reader has gone', 3000, 1],
  ])('leave no copy in the engine if %s', async (_, rowsMax, taken) => {
    let rows = 0;
    for await (const chunk of readRange(engine, range, { fill, rowsMax })) {
      rows += chunk.length;
      if (rows >= taken) break;
    }
    await expect.poll(() => asked.at(-1)).toBe('closed');
    // An iterator keeps the rows of its last read. At its end it reads again only after a seek.
    expect(asked.slice(-3)).toEqual(['sought', 1, 'closed']);
  });
});
