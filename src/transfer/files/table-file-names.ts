import { hash } from 'node:crypto';
import { lowerAscii } from '../../protocol/names.js';
import type { TableHeader } from '../table-header.js';

/** Longest name of a table in a file name. Unit: characters. Our choice: every storage account's table has its own name. */
const plainMax = 96;

/** How much of a longer name is shown, and of any name with other characters. Unit: characters. */
const shownMax = 40;

/** How much of a hash tells names apart. Unit: hexadecimal digits. */
const hashDigits = 12;

/** Names that any file system takes and keeps. */
const plain = /^[a-z0-9][\w-]*(?:\.[a-z0-9][\w-]*)?$/i;

/**
 * Names of devices, which are devices with any ending, too.
 * Source: Windows, Naming Files.
 */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Names the files of an export's tables: short, legal on every system, and different even where letter case does not count. A
 * plain name stays as it is. Any other is shortened, and gets a part of its hash. An import does not need it: the table's name is in
 * the file's first line.
 */
export class TableFileNames {
  readonly #used = new Set<string>();

  /** Returns the name of the next table's file, without an ending. */
  next({ account, name }: Pick<TableHeader, 'account' | 'name'>): string {
    const whole = account === undefined ? name : `${account}.${name}`;
    const isPlain = plain.test(whole) && whole.length <= plainMax && !device.test(whole);
    if (isPlain && this.#take(whole)) return whole;
    const shown = [...whole]
      .slice(0, shownMax)
      .join('')
      .replace(/[^a-z0-9]+/gi, '_');
    for (let count = 0; ; count++) {
      // Halves of characters are different in JSON, and the same in UTF-8.
      const mark = hash('sha256', JSON.stringify([account, name, count])).slice(0, hashDigits);
      const found = `table_${shown}-${mark}`;
      if (this.#take(found)) return found;
    }
  }

  #take(name: string): boolean {
    const key = lowerAscii(name);
    if (this.#used.has(key)) return false;
    this.#used.add(key);
    return true;
  }
}
