import { ownText } from '../../entity/stored/own-text.js';
import { thresholds } from '../rules/thresholds.js';

/** At which end of the table an insert was. */
const sides = { middle: 0, last: 1, first: 2 } as const;

/** Follows where in the order of its partitions a table grows. */
export class PartitionOrder {
  #last: string | undefined;
  #first: string | undefined;
  readonly #recent = new Uint8Array(thresholds.endInserts);
  #inserts = 0;
  readonly #counts: [middle: number, last: number, first: number] = [0, 0, 0];
  #movesUp = 0;
  #movesDown = 0;
  /** When it began to grow at an end without a long pause, and when it grew last. */
  #growsSince = Number.NEGATIVE_INFINITY;
  #grewAt = Number.NEGATIVE_INFINITY;

  /** The partition at the end where the table grows; undefined if it grows anywhere. */
  growingEnd: string | undefined;
  /** How long it has grown there without a long pause. Unit: milliseconds. */
  growingMs = 0;

  /** Adds an insert into a partition. `at` is in milliseconds. */
  add(partitionKey: string, at: number): void {
    const side = this.#sideOf(partitionKey);
    const slot = this.#inserts++ % this.#recent.length;
    if (this.#inserts > this.#recent.length) this.#count(this.#recent[slot] ?? 0, -1);
    this.#recent[slot] = side;
    this.#count(side, 1);
    if (side === sides.middle) return;
    if (at - this.#grewAt > thresholds.endPauseMs) this.#growsSince = at;
    this.#grewAt = at;
    const end = this.#endNow();
    if (end === undefined) return;
    this.growingEnd ??= end;
    this.growingMs = Math.max(this.growingMs, at - this.#growsSince);
  }

  /** Returns the partition at the end where the last inserts went; undefined if they went anywhere. */
  #endNow(): string | undefined {
    if (this.#inserts < this.#recent.length) return undefined;
    const enough = thresholds.endShare * this.#recent.length;
    const [, last, first] = this.#counts;
    if (last >= enough && this.#movesUp >= thresholds.endMoves) return this.#last;
    return first >= enough && this.#movesDown >= thresholds.endMoves ? this.#first : undefined;
  }

  #count(side: number, by: number): void {
    this.#counts[side as 0 | 1 | 2] += by;
  }

  #sideOf(partitionKey: string): number {
    if (this.#last === undefined || this.#first === undefined) {
      this.#last = ownText(partitionKey);
      this.#first = this.#last;
      return sides.last;
    }
    if (partitionKey > this.#last) {
      this.#last = ownText(partitionKey);
      this.#movesUp++;
      return sides.last;
    }
    if (partitionKey === this.#last) return sides.last;
    if (partitionKey < this.#first) {
      this.#first = ownText(partitionKey);
      this.#movesDown++;
      return sides.first;
    }
    return partitionKey === this.#first ? sides.first : sides.middle;
  }
}
