import { ownText } from '../../remembered.js';
import { thresholds } from '../rules/thresholds.js';

/** How many beginnings of RowKeys a table is followed for. Ours: a table has few kinds of entities. */
const prefixesMax = 4;

/** Longest number that counts. Unit: digits. Ours: longer ones are random or have a fixed length. */
const digitsMax = 15;

/** RowKeys that begin alike and end in a number. */
interface Numbered {
  readonly prefix: string;
  /** Bit n is set if a number has n digits. */
  lengths: number;
  count: number;
  lastRow: string;
}

/** Returns how many digits a text ends with. */
export function lengthOfNumber(text: string): number {
  let at = text.length;
  while (at > 0) {
    const code = text.charCodeAt(at - 1);
    if (code < 48 || code > 57) break;
    at--;
  }
  return text.length - at;
}

/** Looks at the numbers at the end of the RowKeys of one table. */
export class RowNumbers {
  readonly #prefixes: Numbered[] = [];

  add(rowKey: string): void {
    const digits = lengthOfNumber(rowKey);
    if (digits === 0 || digits > digitsMax) return;
    const prefixLength = rowKey.length - digits;
    let found: Numbered | undefined;
    for (const one of this.#prefixes) {
      if (one.prefix.length === prefixLength && rowKey.startsWith(one.prefix)) found = one;
    }
    if (!found) {
      if (this.#prefixes.length >= prefixesMax) return;
      found = { prefix: ownText(rowKey.slice(0, prefixLength)), lengths: 0, count: 0, lastRow: '' };
      this.#prefixes.push(found);
    }
    if (found.count >= thresholds.unpaddedKeys && (found.lengths & (1 << digits)) !== 0) return;
    if (found.lastRow === rowKey) return;
    found.lastRow = ownText(rowKey);
    found.count++;
    found.lengths |= 1 << digits;
  }

  /** The beginning of keys whose numbers have different lengths; undefined if there are none. */
  get unpadded(): string | undefined {
    return this.#prefixes.find(({ count, lengths }) => count >= thresholds.unpaddedKeys && hasTwoBits(lengths))?.prefix;
  }

  /** Whether keys are numbered, as those of a series are. */
  get isSeries(): boolean {
    return this.#prefixes.some(({ count }) => count >= thresholds.seriesEntitiesMin);
  }
}

function hasTwoBits(bits: number): boolean {
  return (bits & (bits - 1)) !== 0;
}
