/**
 * Layers of a table with more than this may be copied. A read passes the hidden rows of each. (Our choice: undo alone would give a table six, and
 * a page behind a partition that was reset takes half as long with three.)
 */
const layersMax = 3;

/**
 * How many times larger than all layers above it together a layer must be to stay as it is. With 2, a row is copied at most
 * about 1.7 times for each doubling of what lies above the lowest layer, and a thousand layers of one size become seven.
 */
const growth = 2;

/**
 * Returns how many of the nearest layers to copy into one; 0 if none. The lowest one is usually much larger, and stays. Of the
 * others, those stay that are much larger than everything above them, so that a large layer is not copied each time for a
 * few rows above it.
 *
 * `sizeOf` returns the number of rows of the layer at a position, or any number from `limit` on if it has so many.
 */
export async function chooseCopied(
  layers: number,
  sizeOf: (at: number, limit: number) => Promise<number>,
): Promise<number> {
  if (layers <= layersMax) return 0;
  let copied = 1;
  let above = Math.max(1, await sizeOf(0, Number.POSITIVE_INFINITY));
  for (let at = 1; at < layers - 1; at++) {
    const limit = growth * above;
    const size = await sizeOf(at, limit);
    if (size < limit) copied = at + 1;
    // Of a layer that stays, no more than this is known. The layers that stay still grow as they must.
    above += Math.min(size, limit);
  }
  return copied === 1 ? 0 : copied;
}
