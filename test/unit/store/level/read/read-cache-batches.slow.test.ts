import { expect, it } from 'vitest';
import { encodeEntityKey, entityPrefix, wholeTable } from '../../../../../src/store/level/engine/key-encoding.js';
import { Tail } from '../../../../../src/store/level/log/tail.js';
import { ReadCache } from '../../../../../src/store/level/read/read-cache.js';

const prefix = entityPrefix('account', 'table');
const keyOf = (partitionKey: string, at: number) =>
  encodeEntityKey(prefix, { partitionKey, rowKey: String(at).padStart(4, '0') });

it('has no more blocks after batches of inserts and deletes than before them', () => {
  const cache = new ReadCache(64 * 1024 * 1024);
  const { gte, lt } = wholeTable(prefix);
  const rows = Array.from({ length: 2000 }, (_, at) => keyOf('p', at));
  const fill = cache.startFill(prefix, cache.startRead(), new Tail());
  fill.keep(
    gte,
    lt,
    rows,
    rows.map(() => '{}'),
  );
  const before = cache.bytes;

  for (let round = 0; round < 1000; round++) {
    const batches = Array.from({ length: 5 }, (_, batch) =>
      Array.from({ length: 100 }, (_, at) => keyOf(`batch${5 * round + batch}`, at)),
    );
    for (const value of ['{}', null]) {
      for (const keys of batches) {
        cache.defer(keys.map((key) => ({ key, value })));
        cache.applyDeferred();
      }
    }
  }

  expect(cache.bytes).toBeLessThan(before + 4000);
  expect(cache.get(prefix, keyOf('p', 1999))).toBe('{}');
  expect(cache.get(prefix, keyOf('batch4999', 50))).toBeNull();
});
