import { describe, expect, it } from 'vitest';
import { KnownLayouts } from '../../../src/entity/body/known-layouts.js';
import { usedHeapBytes } from '../../support/used-heap.js';

/** Returns a body of a megabyte, whose property has a long name. */
function bodyWith(name: string): string {
  return JSON.stringify({ PartitionKey: 'p', RowKey: 'r', [name]: 'x'.repeat(1024 * 1024) });
}

describe('A known layout', () => {
  it('keeps nothing of the body that it was learned from but its names', async () => {
    new KnownLayouts().learn(bodyWith('First'));
    const before = await usedHeapBytes();
    const layouts = new KnownLayouts();
    for (let at = 0; at < 16; at++) layouts.learn(Buffer.from(bodyWith(`AVeryLongNameOfAProperty${at}`)).toString());
    expect((await usedHeapBytes()) - before).toBeLessThan(4 * 1024 * 1024);
    expect(layouts.read(bodyWith('AVeryLongNameOfAProperty0'))).toBeDefined();
  });
});
