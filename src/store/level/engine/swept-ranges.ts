import { compactable, compactRange } from './compact-range.js';
import type { Engine, RecordChange } from './engine.js';
import type { EngineGate } from './engine-gate.js';
import type { StoredRange } from './key-encoding.js';

/** Number of deleted records that triggers a compaction. They slow a read next to them by about 0.1 ms. Source: docs/benchmarks.md. */
export const sweptMin = 1000;

/** Ranges with fewer deleted records are not compacted until adjacent ranges are swept too. */
const groupMin = 250;

/** Maximum number of swept ranges to remember. LevelDB compacts older ones at some time by itself. */
const sweptRangesMax = 1000;

/** The time between two compactions, as a multiple of the duration of the first one. */
const restFactor = 2;

/** A range whose records were deleted. */
export interface SweptRange extends StoredRange {
  /** Number of deleted records. */
  readonly dead: number;
  /** Keys at which to cut the range into slices. */
  readonly cuts: readonly string[];
  /** The key of the record that remains until the range is compacted; absent if there is none. */
  readonly marker?: string;
}

/** What compactions of swept ranges need besides the engine. */
export interface SweptRangesOptions {
  /** Writes changes through the commit queue, in one batch. */
  readonly write: (changes: readonly RecordChange[]) => Promise<void>;
  readonly hasFreeSpace: () => Promise<boolean>;
  readonly gate: EngineGate;
  /** Returns whether to start the next step. */
  readonly continues: () => boolean;
}

/** Remembers ranges whose records were deleted, and compacts them when it is worth the work. */
export class SweptRanges {
  readonly #engine: Engine;
  readonly #options: SweptRangesOptions;
  #ranges: SweptRange[] = [];
  /** Number of records deleted since the last compaction. */
  #dead = 0;
  /** The earliest time of the next compaction. Unit: milliseconds of the monotonic clock. */
  #notBefore = 0;

  constructor(engine: Engine, options: SweptRangesOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Adds a range. Does nothing if the engine keeps no deleted records. */
  add(range: SweptRange): void {
    if (range.dead === 0 || !compactable(this.#engine)) return;
    this.#ranges.push(range);
    this.#dead += range.dead;
  }

  /** Forgets all ranges. */
  clear(): void {
    this.#ranges = [];
    this.#dead = 0;
  }

  /** Whether enough records were deleted for a compaction. */
  get isDue(): boolean {
    return this.#dead >= sweptMin;
  }

  /** How long to wait before the next compaction. Unit: milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }

  /** Compacts ranges. Keeps those that have too few records, and those that could not be compacted. */
  async compact(): Promise<void> {
    const startedAt = performance.now();
    this.#dead = 0;
    const left: SweptRange[] = [];
    for (const group of await groupRanges(this.#engine, this.#options.gate, this.#ranges)) {
      const dead = group.reduce((sum, range) => sum + range.dead, 0);
      const isDone = dead >= groupMin && (await this.#compactGroup(group));
      if (!isDone) left.push(...group);
    }
    this.#ranges = left.slice(-sweptRangesMax);
    const endedAt = performance.now();
    this.#notBefore = endedAt + restFactor * (endedAt - startedAt);
  }

  /** Compacts ranges that have no living records between them. Returns whether it did. */
  async #compactGroup(group: readonly SweptRange[]): Promise<boolean> {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last || !(await this.#options.hasFreeSpace())) return false;
    const markers = group.flatMap(({ marker }) => (marker === undefined ? [] : [{ key: marker, value: null }]));
    return compactRange(this.#engine, {
      gte: first.gte,
      lt: last.lt,
      cuts: group.flatMap(({ cuts }) => cuts),
      continues: this.#options.continues,
      write: (changes) => this.#options.write([...changes, ...markers]),
    });
  }
}

/** Groups swept ranges that have no living records between them. Both groups and ranges are in key order. */
async function groupRanges(
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
