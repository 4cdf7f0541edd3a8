/** Shorter runs of hidden rows are read again each time: to go past one costs about as much as 50 rows. Estimate. */
const usualRowsMin = 64;

/** For how many layers ranges are remembered, and how many for each. Ours: they only save work. */
const [layersMax, rangesMax] = [1000, 8];

/** Contiguous rows of a layer, each of which is hidden by a row or a tombstone of another layer. Both ends are rows, without the prefix of a layer. */
export interface HiddenRange {
  /** The prefix of the layer that hides the rows. */
  readonly hider: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Remembers which rows of layers are hidden by other layers, so that they are read once and not with each page. What is remembered
 * stays true for every table and snapshot that has the one layer above the other: a layer never loses a record while it has another
 * below it, and a layer below another gets none, except when they are merged.
 */
export class HiddenRanges {
  /** By the prefix of the layer that has the hidden rows, the newest first. */
  readonly #ranges = new Map<string, readonly HiddenRange[]>();
  readonly #rowsMin: number;
  #version = 0;

  constructor(rowsMin = usualRowsMin) {
    this.#rowsMin = rowsMin;
  }

  /** Changes when layers are merged. What was read before says nothing then. */
  get version(): number {
    return this.#version;
  }

  /** Remembers that a range of a layer, with this number of rows, is hidden. `version` is the one of when the read began. */
  add(layer: string, range: HiddenRange, rows: number, version: number): void {
    if (rows < this.#rowsMin || version !== this.#version) return;
    const { hider, from, to } = range;
    const others = this.#of(layer).filter((one) => one.hider !== hider || one.from < from || one.to > to);
    this.#set(layer, [range, ...others].slice(0, rangesMax));
  }

  /** Whether ranges of a layer are known that one of the layers above it hides. */
  has(layer: string, above: readonly string[]): boolean {
    return this.#ranges.size > 0 && this.#of(layer).some(({ hider }) => above.includes(hider));
  }

  /** Returns the range with this row that one of the layers above hides. */
  find(layer: string, above: readonly string[], row: string): HiddenRange | undefined {
    return this.#of(layer).find(({ hider, from, to }) => from <= row && row <= to && above.includes(hider));
  }

  /** Must be called when the rows of one layer go down to another. What hid the rows of both still does. */
  merge(upper: string, lower: string): void {
    this.#version++;
    const moved = this.#of(upper);
    const both = this.#of(lower).flatMap((one) =>
      moved
        .filter(({ hider, from, to }) => hider === one.hider && from <= one.to && one.from <= to)
        .map((other) => ({
          hider: one.hider,
          from: (one.from > other.from ? one : other).from,
          to: (one.to < other.to ? one : other).to,
        })),
    );
    this.#ranges.delete(upper);
    this.#ranges.delete(lower);
    if (both.length > 0) this.#set(lower, both);
  }

  #of(layer: string): readonly HiddenRange[] {
    return this.#ranges.get(layer) ?? [];
  }

  #set(layer: string, ranges: readonly HiddenRange[]): void {
    const [oldest] = this.#ranges.keys();
    if (oldest !== undefined && this.#ranges.size >= layersMax && !this.#ranges.has(layer)) this.#ranges.delete(oldest);
    this.#ranges.set(layer, ranges);
  }
}
