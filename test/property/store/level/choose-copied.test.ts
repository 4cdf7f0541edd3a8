import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseCopied } from '../../../../src/store/level/layers/merge-layers.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

/** Adds layers of these sizes one after the other, and folds after each. Returns the layers, nearest first, and the copies. */
async function addLayers(sizes: readonly number[], lowest: number) {
  let layers = [lowest];
  let copied = 0;
  let most = 0;
  for (const size of sizes) {
    layers = [size, ...layers];
    // A layer that is larger than asked for may be told as any such number.
    const copiedNow = await chooseCopied(layers.length, async (at, limit) => Math.min(layers[at] ?? 0, limit));
    const rows = layers.slice(0, copiedNow).reduce((sum, one) => sum + one, 0);
    if (copiedNow > 0) layers = [rows, ...layers.slice(copiedNow)];
    copied += rows;
    most = Math.max(most, layers.length);
  }
  return { layers, copied, most };
}

describe('The choice of layers to copy', () => {
  it('copies a row about as often as what is above the lowest layer has doubled, and keeps few layers', async () => {
    const size = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3000 }));
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 300 }), fc.nat(10_000), async (sizes, lowest) => {
        const { layers, copied, most } = await addLayers(sizes, lowest);
        const all = sizes.reduce((sum, one) => sum + one, 0);
        expect(layers.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(all);
        expect(layers.at(-1)).toBe(lowest);
        const doublings = Math.log2(all) + 1;
        expect(copied).toBeLessThanOrEqual(all * (1.8 * doublings + 2));
        expect(most).toBeLessThanOrEqual(4 + Math.ceil(Math.log(all) / Math.log(3)));
      }),
      { numRuns: runs(200) },
    );
  });

  it('does not copy a large layer again for each few rows that are added above it', async () => {
    const { copied } = await addLayers([100_000, ...new Array(1000).fill(1)], 1_000_000);
    expect(copied).toBeLessThan(20_000);
  });

  it('leaves three layers as they are, and never copies the lowest', async () => {
    expect(await chooseCopied(3, () => Promise.resolve(1))).toBe(0);
    expect(await chooseCopied(4, () => Promise.resolve(1))).toBe(3);
  });

  it('leaves layers that grow as they should', async () => {
    const sizes = [1, 2, 6, 18, 54, 162, 486, 1458, 1];
    expect(await chooseCopied(sizes.length, (at) => Promise.resolve(sizes[at] ?? 0))).toBe(0);
    const shrinking = [1, 2, 6, 18, 54, 162, 486, 1457, 1];
    expect(await chooseCopied(shrinking.length, (at) => Promise.resolve(shrinking[at] ?? 0))).toBe(8);
  });
});
