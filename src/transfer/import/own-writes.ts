import { hash } from 'node:crypto';
import { type EntityKey, type EntityText, timestampOf } from '../../entity/stored/entity.js';
import { ownText } from '../../entity/stored/own-text.js';
import type { OwnRows } from '../../state/revert-rows.js';
import type { CommittedTransaction } from '../../store/commit-listeners.js';

/** How much of a hash is kept. Unit: hexadecimal digits. A number holds them exactly. */
const markDigits = 12;

/** What was written into a table since an import began. */
interface Written {
  /** Marks of what the import wrote. */
  readonly marks: number[];
  /** What others wrote, by key: the last text, null if they deleted it. */
  readonly others: Map<string, EntityText | null>;
}

/** Tells what one import writes from what others write meanwhile. Takes 8 bytes for each entity of the import. */
export class OwnWrites {
  readonly #source: object;
  readonly #keepsOthers: boolean;
  readonly #tables = new Map<string, Written>();

  /** `source` is that of the import's commits. `keepsOthers` is whether the import may replace what others write. */
  constructor(source: object, keepsOthers: boolean) {
    this.#source = source;
    this.#keepsOthers = keepsOthers;
  }

  /** Notes a transaction. `table` is any text that stands for its table. */
  add(table: string, { source, changes }: CommittedTransaction): void {
    const isOwn = source === this.#source;
    if (!isOwn && !this.#keepsOthers) return;
    const { marks, others } = this.#writtenIn(table);
    for (const { key, text, timestamp } of changes) {
      if (isOwn) marks.push(markOf(key, timestamp));
      else others.set(ownText(textOf(key)), text);
    }
  }

  /** Returns what the entities of a table were before the import wrote them. */
  rowsOf(table: string): OwnRows {
    const { marks, others } = this.#writtenIn(table);
    const sorted = Float64Array.from(marks).sort();
    return {
      before: (key, present, text) => {
        if (!hasNumber(sorted, markOf(key, timestampOf(present)))) return undefined;
        const ofOthers = others.get(textOf(key));
        return ofOthers === undefined ? text : ofOthers;
      },
    };
  }

  #writtenIn(table: string): Written {
    const written = this.#tables.get(table) ?? { marks: [], others: new Map() };
    this.#tables.set(table, written);
    return written;
  }
}

/**
 * Returns a number for what was written: a part of a hash. A Timestamp alone would not do, because other servers on the same
 * database give the same ones to other entities.
 */
function markOf(key: EntityKey, timestamp: string): number {
  return Number.parseInt(hash('sha1', `${timestamp}\0${textOf(key)}`).slice(0, markDigits), 16);
}

function textOf({ partitionKey, rowKey }: EntityKey): string {
  return `${partitionKey}\0${rowKey}`;
}

function hasNumber(sorted: Float64Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}
