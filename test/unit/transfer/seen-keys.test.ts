import { expect, it } from 'vitest';
import { SeenKeys } from '../../../src/transfer/import/seen-keys.js';

const keyAt = (rowKey: string) => ({ partitionKey: 'p', rowKey });

it('Keys are kept by table as long as there is room, and the others are counted', () => {
  const seen = new SeenKeys(768);
  expect(['a', 'b', 'a', 'c', 'c', 'd', 'b'].map((name) => seen.add('one', keyAt(name)))).toEqual([
    ...[false, false, true, false, true, false, true],
  ]);
  expect(seen.notKept).toBe(1);
  expect(seen.add('two', keyAt('a'))).toBe(false);
  expect(seen.notKept).toBe(2);
});
