import { expect, it } from 'vitest';
import { readUntilAborted } from '../../../src/transfer/transfer.js';
import { usedHeapBytes } from '../../support/measures/used-heap.js';

it('A source that may be aborted is not kept in memory', async () => {
  const { signal } = new AbortController();
  const mib = 1024 * 1024;
  async function* read() {
    for (let part = 0; part < 64; part++) yield `${part}`.padEnd(mib);
  }
  const before = await usedHeapBytes();
  let grown = 0;
  for await (const part of readUntilAborted(read(), signal)) {
    if (part.startsWith('63')) grown = (await usedHeapBytes()) - before;
  }
  expect(grown).toBeLessThan(16 * mib);
});
