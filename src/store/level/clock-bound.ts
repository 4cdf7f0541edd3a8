import type { Clock } from '../../clock/clock.js';
import type { RecordChange } from './engine/engine.js';
import { clockKey } from './engine/key-encoding.js';

/**
 * How far the bound is ahead of the clock. Unit: milliseconds. (Our choice: a record for each batch costs a single write a tenth
 * of its time, and no process is killed and started again within this time.)
 */
const leadMs = 100;

/**
 * The record of the instant that no written Timestamp has passed. The next start continues after it, so that a clock that
 * was set back does not issue an ETag twice.
 */
export class ClockBound {
  readonly #clock: Clock;
  /** Canonical UTC text without its `Z`, so that texts compare as instants. */
  #bound = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the record to write with the next batch; undefined if the stored bound is still ahead of the clock. */
  next(): RecordChange | undefined {
    const last = this.#clock.last();
    if (last.slice(0, -1) <= this.#bound) return undefined;
    const ahead = Date.parse(`${last.slice(0, 19)}Z`) + millisecondsOf(last) + leadMs;
    this.#bound = new Date(ahead).toISOString().replace(/\.?0*Z$/, '');
    return { key: clockKey, value: `${this.#bound}Z` };
  }

  /** Forgets the bound: the batch with its record may not be written. */
  forget(): void {
    this.#bound = '';
  }
}

/** Returns the part of a second in a Timestamp, rounded up. */
function millisecondsOf(timestamp: string): number {
  return Math.ceil(Number(`0${timestamp.slice(19, -1)}`) * 1000);
}
