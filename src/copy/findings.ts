import { isDeepStrictEqual } from 'node:util';
import type { CopyReport, CopyWish, Difference, TableReport } from './contract.js';
import type { CopyState } from './copy-state.js';
import type { FailedRow } from './ends/end.js';
import { noteOfMask, unusedMasks } from './rows/change-row.js';
import { listedMax } from './verify.js';

/** Collects the report of a copy. What an earlier run has found is in the state. */
export class Findings {
  readonly #wish: CopyWish;
  readonly #found: CopyState['found'];
  readonly #masked: Set<string>;
  readonly #tables: TableReport[];

  constructor(wish: CopyWish, { found, tables }: CopyState) {
    this.#wish = wish;
    this.#found = found;
    this.#masked = new Set(found.masked);
    this.#tables = Object.values(tables).flatMap(({ report }) => report ?? []);
  }

  addTable(report: TableReport): void {
    this.#tables.push(report);
  }

  /** Adds the number of differences of a table, and the first of them. */
  addDifferences(differences: number, different: readonly Difference[]): void {
    this.#found.differences += differences;
    this.#found.different.push(...different.slice(0, listedMax - this.#found.different.length));
  }

  /** Adds a note, unless an earlier run has added it. */
  note(text: string): void {
    if (!this.#found.notes.includes(text)) this.#found.notes.push(text);
  }

  /** Adds entities that a table of the target rejected, unless an earlier run has added them: a page may be written again. */
  reject(table: string, failed: readonly FailedRow[], continues: boolean): void {
    const { rejected } = this.#found;
    for (const { row, code, message } of failed.slice(0, listedMax - rejected.length)) {
      const one = { table, partitionKey: row.partitionKey, rowKey: row.rowKey, code, message };
      if (!continues || !rejected.some((other) => isDeepStrictEqual(one, other))) rejected.push(one);
    }
  }

  /** Adds a mask that changed an entity. */
  mask(name: string): void {
    if (!this.#masked.has(name)) this.#found.masked.push(name);
    this.#masked.add(name);
  }

  report(): Omit<CopyReport, 'from' | 'to' | 'continued' | 'ms'> {
    const { masked, ...found } = this.#found;
    const count = (name: 'written' | 'same' | 'rejected') => this.#tables.reduce((sum, table) => sum + table[name], 0);
    const { compare, mask } = this.#wish;
    const filled = this.#tables.filter(({ read, written, same, skipped, rejected }) =>
      // A sample may have read entities and taken none.
      compare ? read > 0 : written + same + skipped + rejected > 0,
    );
    const unused = unusedMasks(
      mask,
      this.#masked,
      filled.map(({ table }) => table),
    );
    return {
      tables: this.#tables.sort((a, b) => (a.table < b.table ? -1 : 1)),
      rows: count('written') + count('same'),
      rejectedRows: count('rejected'),
      ...found,
      unusedMasks: unused,
      notes: [...found.notes, ...unused.map(noteOfMask)],
    };
  }
}
