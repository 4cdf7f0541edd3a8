import type { Engine } from './engine.js';
import type { EngineGate } from './engine-gate.js';
import type { StoredRange } from './key-encoding.js';

/** A range whose records were deleted, and how many these were. */
export interface SweptRange extends StoredRange {
  readonly dead: number;
}

/** Groups ranges that have no living records between them. Both groups and ranges are in key order. */
export async function groupRanges(
  engine: Engine,
  gate: EngineGate,
  ranges: readonly SweptRange[],
): Promise<readonly SweptRange[][]> {
  const sorted = [...ranges].sort((a, b) => (a.gte < b.gte ? -1 : 1));
  const groups: SweptRange[][] = [];
  for (let at = 0; at < sorted.length; ) {
    // This read skips the deleted records of the current group, but not those of other groups.
    const options = { gte: sorted[at]?.lt ?? '', limit: 1 };
    const [living] = await gate.read(() => engine.keys(options).all());
    const next = sorted.findIndex(({ gte }, index) => index > at && living !== undefined && gte > living);
    const end = next < 0 ? sorted.length : next;
    groups.push(sorted.slice(at, end));
    at = end;
  }
  return groups;
}
