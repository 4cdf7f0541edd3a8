import type { Engine } from './commit-queue.js';
import { encodeRange } from './key-encoding.js';

/** So many dead records make it worth the while. Unit: records. */
const deadMin = 20_000;

/** How long nothing must have been written before the engine is asked for work of its own. Unit: milliseconds. */
const idleMs = 3000;

/** Records compacted in one go, so that a request or a stop that comes meanwhile waits little. */
const sliceRows = 20_000;

/** What LevelDB can do beside what every engine can. */
interface Compactable {
  compactRange(start: string, end: string): Promise<void>;
}

/**
 * Clears away what overwrites and deletes leave behind. LevelDB keeps dead records until it happens to merge their
 * files, and every scan steps over them; after much churn a page costs twice what it should. Works in the background,
 * a slice at a time, and only while nothing is written.
 */
export class Compactor {
  readonly #engine: Engine;
  readonly #report: (error: unknown) => void;
  readonly #dead = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #stopped = false;
  /** Grows with every write, so that work in the background sees that it is not alone. */
  #writes = 0;

  constructor(engine: Engine, report: (error: unknown) => void) {
    this.#engine = engine;
    this.#report = report;
  }

  /** Counts records of a table that are dead now. */
  note(prefix: string, dead: number): void {
    this.#writes++;
    if (this.#stopped || !canCompact(this.#engine)) return;
    const count = (this.#dead.get(prefix) ?? 0) + dead;
    this.#dead.set(prefix, count);
    if (count >= deadMin) this.#schedule();
  }

  /** Resolves when no slice is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  #schedule(): void {
    if (this.#timer || this.#working || this.#stopped) return;
    const writes = this.#writes;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (writes !== this.#writes) {
        this.#schedule();
        return;
      }
      this.#working = this.#compact()
        .catch(this.#report)
        .finally(() => {
          this.#working = undefined;
          // What was given up half-way is tried again.
          if ([...this.#dead.values()].some((dead) => dead >= deadMin)) this.#schedule();
        });
    }, idleMs);
    // A server that is done otherwise need not wait for this.
    this.#timer.unref();
  }

  async #compact(): Promise<void> {
    for (const [prefix, dead] of [...this.#dead]) {
      if (dead < deadMin) continue;
      if (!(await this.#compactTable(prefix))) return;
      this.#dead.delete(prefix);
    }
  }

  /** Compacts one table, or stops half-way when something is written. */
  async #compactTable(prefix: string): Promise<boolean> {
    const engine: unknown = this.#engine;
    const writes = this.#writes;
    const range = encodeRange(prefix, {});
    for (let from = range.gte; ; ) {
      if (this.#stopped || writes !== this.#writes) return false;
      const keys = await this.#engine.keys({ gte: from, lt: range.lt, limit: sliceRows }).all();
      const to = keys.length < sliceRows ? range.lt : (keys.at(-1) ?? range.lt);
      await (engine as Compactable).compactRange(from, to);
      if (to === range.lt) return true;
      from = `${to}\u0000`;
    }
  }
}

function canCompact(engine: object): boolean {
  return 'compactRange' in engine;
}
