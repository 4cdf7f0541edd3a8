import { chooseTables } from './choose-tables.js';
import type { CopyReport, CopyWish, Difference, RejectedEntity, TableReport } from './contract.js';
import type { CopyOptions } from './copy.js';
import type { RangeJob } from './copy-range.js';
import { type CopyState, copyId, newRange, type StateFile, type TableState } from './copy-state.js';
import { copyTables } from './copy-tables.js';
import { CopyFault, type SourceTable, type WriteResult } from './ends/end.js';
import type { Pair } from './ends/open-end.js';
import { Flow } from './flow.js';
import { KeyOrder } from './key-order.js';
import { type ChangeRow, rowChanger } from './rows/change-row.js';
import { addSum, emptySum, type Sum, sumText } from './rows/sum-rows.js';
import { listedMax, sumTable } from './verify.js';
import { verifyTable } from './verify-table.js';

/** Rows that each transfer and each reader may have in memory. (Our choice: some transactions, and a page.) */
const queuedRows = { transfer: 400, reader: 1000 } as const;

/** Copies pairs of ends, and collects their report. */
export class CopyRun {
  readonly #wish: CopyWish;
  readonly #file: StateFile | undefined;
  readonly #state: CopyState;
  readonly #options: CopyOptions;
  readonly #flow: Flow;
  readonly #rejected: RejectedEntity[] = [];
  readonly #tables: TableReport[] = [];
  readonly #different: Difference[] = [];
  readonly #notes: string[] = [];
  #differences = 0;

  constructor(wish: CopyWish, file: StateFile | undefined, options: CopyOptions) {
    this.#wish = wish;
    this.#file = file;
    this.#state = file?.state ?? { version: 1, id: '', maskKey: wish.maskKey ?? copyId([Math.random()]), tables: {} };
    this.#options = options;
    const rows = Math.max(queuedRows.transfer * wish.transfers, queuedRows.reader * wish.readers);
    this.#flow = new Flow({ units: wish.memoryMb * 1024 * 1024, rows });
    for (const { report } of Object.values(this.#state.tables)) if (report) this.#tables.push(report);
  }

  /** Copies the tables of a source, and verifies them. Errors: CopyFault; the reason of the signal. */
  async copyPair(pair: Pair): Promise<void> {
    const { source, target, account, isWhole } = pair;
    const { compare, dryRun, settings, readers } = this.#wish;
    const tables = chooseTables(await source.tables(), this.#wish);
    if (pair.targetTable !== undefined && tables.length > 1)
      throw new CopyFault(`The target is one table, but the source has ${tables.length}. Choose one with --table.`);
    if (compare) return this.#compare(pair, tables);
    const unknown = tables.filter(({ policies }) => policies === undefined).length;
    if (unknown > 0)
      this.#notes.push(`Stored access policies of ${unknown} tables were not copied: they cannot be read.`);
    const { signal, sharedRowsMin } = this.#options;
    if (!dryRun) {
      await target.prepare?.(
        tables.map(({ name }) => this.#nameOf(pair, name)),
        this.#file?.continues ?? false,
      );
      if (settings || (isWhole && !pair.isCosmos)) await this.#copySettings(pair);
    }
    const stateNameOf = (table: string) => (account === undefined ? table : `${account}/${table}`);
    const job = { source, target: dryRun ? undefined : target, state: this.#state, readers, sharedRowsMin, signal };
    const keyOrder = source.repeats && target.order === 'any' ? new KeyOrder() : undefined;
    try {
      await copyTables(tables, {
        ...job,
        nameOf: (table) => this.#nameOf(pair, table),
        stateNameOf,
        jobOf: (table, signal) => this.#jobOf(pair, table, keyOrder, signal),
        onTable: (table, state) => this.#endTable(pair, table, state),
      });
    } catch (error) {
      const hasBegun = Object.values(this.#state.tables).some(({ ranges }) => ranges.some(({ read }) => read > 0));
      if (hasBegun) await this.#file?.save(true);
      throw error;
    }
    if (!dryRun) await target.complete?.();
  }

  /** Returns the report of all pairs so far. */
  report(): Pick<CopyReport, 'tables' | 'rows' | 'rejectedRows' | 'rejected' | 'differences' | 'different' | 'notes'> {
    const count = (name: 'written' | 'same' | 'rejected') => this.#tables.reduce((sum, table) => sum + table[name], 0);
    return {
      tables: this.#tables.sort((a, b) => (a.table < b.table ? -1 : 1)),
      rows: count('written') + count('same'),
      rejectedRows: count('rejected'),
      rejected: this.#rejected,
      differences: this.#differences,
      different: this.#different,
      notes: this.#notes,
    };
  }

  #nameOf({ targetTable }: Pair, table: string): string {
    return this.#wish.rename.get(table) ?? targetTable ?? table;
  }

  async #copySettings({ source, target, isCosmos }: Pair): Promise<void> {
    if (source.settings && target.writeSettings && !isCosmos) await target.writeSettings(await source.settings());
    else this.#notes.push('Service properties were not copied: only storage accounts have them.');
  }

  #changeOf({ source }: Pair, table: string): ChangeRow {
    const { select, omit, mask, sample } = this.#wish;
    return rowChanger(
      { omit, mask, sample, maskKey: this.#state.maskKey, select: source.selects ? undefined : select },
      table,
    );
  }

  #jobOf(pair: Pair, table: string, keyOrder: KeyOrder | undefined, signal: AbortSignal): RangeJob {
    const { mode, limit, filter, select, dryRun, verify } = this.#wish;
    const targetTable = this.#nameOf(pair, table);
    return {
      ...{ table, targetTable, mode, limit, keyOrder, signal, flow: this.#flow, isHashed: verify && !dryRun },
      source: pair.source,
      target: dryRun ? undefined : pair.target,
      wish: { filter, select },
      change: this.#changeOf(pair, table),
      isSerial: pair.isWhole && pair.isCosmos,
      onProgress: (result, fraction) => this.#onProgress(table, targetTable, result, fraction),
    };
  }

  #onProgress(table: string, targetTable: string, result: WriteResult, fraction: number | undefined): void {
    for (const { row, code, message } of result.failed) {
      const { partitionKey, rowKey } = row;
      if (this.#rejected.length < listedMax)
        this.#rejected.push({ table: targetTable, partitionKey, rowKey, code, message });
    }
    const rows = result.written + result.same + result.skipped.length + result.failed.length;
    this.#options.progress.add(table, rows, fraction);
    // A later save, or that at the end, reports the fault.
    this.#file?.save().catch(() => {});
  }

  /** Completes a table, and compares it with what was read. */
  async #endTable(pair: Pair, table: string, state: TableState): Promise<void> {
    const sum = emptySum();
    const total = { read: 0, written: 0, same: 0, skipped: 0, failed: 0 };
    for (const range of state.ranges) {
      addSum(sum, range.sum.lanes, range.sum.rows);
      total.read += range.read;
      total.written += range.written;
      total.same += range.same;
      total.skipped += range.skipped;
      total.failed += range.failed;
    }
    const { dryRun, verify } = this.#wish;
    if (!dryRun && !state.isWritten) {
      await pair.target.finish(this.#nameOf(pair, table));
      state.isWritten = true;
      await this.#file?.save(true);
    }
    const { failed: rejected, ...counts } = total;
    const verified =
      dryRun || !verify
        ? ({ verified: 'no' } as const)
        : await this.#verify(pair, table, state, sum, total.skipped + total.failed);
    state.report = { table, ...counts, rejected, ranges: state.ranges.length, source: sumText(sum), ...verified };
    this.#tables.push(state.report);
  }

  /** Compares tables without writing. */
  async #compare(pair: Pair, tables: readonly SourceTable[]): Promise<void> {
    const { filter, select, readers } = this.#wish;
    for (const { name: table } of tables) {
      const onRows = (rows: number) => this.#options.progress.add(table, rows);
      const side = {
        source: pair.source,
        table,
        wish: { filter, select },
        change: this.#changeOf(pair, table),
        onRows,
      };
      const sum = await sumTable(side, [{}], readers);
      const verified = await this.#verify(pair, table, { wasEmpty: true, ranges: [newRange()] }, sum, 0);
      const none = { written: 0, same: 0, skipped: 0, rejected: 0, ranges: 1 };
      this.#tables.push({ table, read: sum.rows, ...none, source: sumText(sum), ...verified });
    }
  }

  async #verify(
    pair: Pair,
    table: string,
    { wasEmpty, ranges }: TableState,
    sum: Sum,
    left: number,
  ): Promise<Pick<TableReport, 'verified' | 'target'>> {
    const { verified, target, differences, different, note } = await verifyTable({
      ...{ pair, table, targetTable: this.#nameOf(pair, table), wish: this.#wish, wasEmpty, ranges, sum, left },
      change: this.#changeOf(pair, table),
      onRows: (rows) => this.#options.progress.add(`${table}, verifying`, rows),
    });
    this.#differences += differences;
    this.#different.push(...different);
    if (note !== undefined) this.#notes.push(note);
    return { verified, target };
  }
}
