import { lowerAscii } from '../protocol/names.js';
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
import { compareTables, emptyIfMissing, listedMax, type Side, sumTable } from './verify.js';

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
    const { compare, dryRun, settings, readers, tables: names } = this.#wish;
    const tables = chooseTables(await source.tables(), names);
    this.#checkNames(tables);
    if (compare) return this.#compare(pair, tables);
    const unknown = tables.filter(({ policies }) => policies === undefined).length;
    if (unknown > 0)
      this.#notes.push(`Stored access policies of ${unknown} tables were not copied: they cannot be read.`);
    const { signal, sharedRowsMin } = this.#options;
    if (!dryRun) {
      await target.prepare?.(
        tables.map(({ name }) => this.#nameOf(name)),
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
        nameOf: (table) => this.#nameOf(table),
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

  #nameOf(table: string): string {
    return this.#wish.rename.get(table) ?? table;
  }

  /** Errors: CopyFault for a table to rename that does not exist, and for two tables of one name. */
  #checkNames(tables: readonly SourceTable[]): void {
    const names = tables.map(({ name }) => name);
    const missing = [...this.#wish.rename.keys()].find((name) => !names.includes(name));
    if (missing !== undefined) throw new CopyFault(`--rename names the table ${missing}, which is not copied.`);
    const targets = names.map((name) => this.#nameOf(name));
    const twice = targets.find((name, at) => targets.indexOf(name) !== at);
    if (twice !== undefined) throw new CopyFault(`Two tables would become ${twice}.`);
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
    const { mode, limit, filter, select, dryRun } = this.#wish;
    const targetTable = this.#nameOf(table);
    return {
      ...{ table, targetTable, mode, limit, keyOrder, signal, flow: this.#flow },
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
      await pair.target.finish(this.#nameOf(table));
      state.isWritten = true;
      await this.#file?.save(true);
    }
    const { failed: rejected, ...counts } = total;
    const verified =
      dryRun || !verify ? ({ verified: 'no' } as const) : await this.#verify(pair, table, state, sum, total);
    state.report = { table, ...counts, rejected, ranges: state.ranges.length, source: sumText(sum), ...verified };
    this.#tables.push(state.report);
  }

  /** Compares tables without writing. */
  async #compare(pair: Pair, tables: readonly SourceTable[]): Promise<void> {
    const { filter, select, readers } = this.#wish;
    const onRows = (rows: number) => this.#options.progress.add('source', rows);
    for (const { name: table } of tables) {
      const change = this.#changeOf(pair, table);
      const sum = await sumTable(
        { source: pair.source, table, wish: { filter, select }, change, onRows },
        [{}],
        readers,
      );
      const state = { wasEmpty: true, ranges: [newRange()] };
      const verified = await this.#verify(pair, table, state, sum, { skipped: 0, failed: 0 });
      const none = { written: 0, same: 0, skipped: 0, rejected: 0, ranges: 1 };
      this.#tables.push({ table, read: sum.rows, ...none, source: sumText(sum), ...verified });
    }
  }

  async #verify(
    pair: Pair,
    table: string,
    { wasEmpty, ranges }: TableState,
    sum: Sum,
    { skipped, failed }: { readonly skipped: number; readonly failed: number },
  ): Promise<Pick<TableReport, 'verified' | 'target'>> {
    const { limit, filter, select, mode, mask, readers } = this.#wish;
    const reader = emptyIfMissing(await pair.target.reader());
    const onRows = (rows: number) => this.#options.progress.add(`${table}, verifying`, rows);
    const whole: Side = { source: reader, table: this.#nameOf(table), wish: {}, change: (row) => row, onRows };
    const hasOtherKeys = mask.some((name) => /(?:^|\.)(?:PartitionKey|RowKey)$/.test(name));
    const parts =
      reader.splits && pair.source.splits && !hasOtherKeys
        ? ranges.map(({ from, before }) => ({ from, before }))
        : [{}];
    const found = await sumTable(whole, parts, readers);
    const target = sumText(found);
    if (target === sumText(sum)) return { verified: 'same', target };
    if (limit !== Number.POSITIVE_INFINITY) return { verified: wasEmpty ? 'different' : 'no', target };
    const change = this.#changeOf(pair, table);
    const side: Side = { source: pair.source, table, wish: { filter, select }, change, onRows };
    const { first, missing, extra, different } = await compareTables(side, whole, mode === 'merge');
    // Skipped and rejected entities differ, as the report says.
    const bad = Math.max(0, missing + different - skipped - failed) + (wasEmpty ? extra : 0);
    if (bad > 0) {
      this.#differences += bad;
      this.#different.push(...first.filter(({ kind }) => wasEmpty || kind !== 'extra').slice(0, listedMax));
      return { verified: 'different', target };
    }
    if (!wasEmpty || pair.source.repeats || found.rows >= sum.rows) return { verified: 'contained', target };
    this.#differences += sum.rows - found.rows;
    this.#notes.push(
      `${table}: ${sum.rows - found.rows} entities fewer than were read. The source has changed, or an entity was read twice.`,
    );
    return { verified: 'different', target };
  }
}

/** Returns the tables that are named, in any letter case; `*` stands for any part of a name. Errors: CopyFault if there is none. */
function chooseTables(tables: readonly SourceTable[], names: readonly string[]): readonly SourceTable[] {
  if (names.length === 0) return tables;
  const chosen = new Set<SourceTable>();
  for (const name of names) {
    const pattern = new RegExp(
      `^${lowerAscii(name)
        .replace(/[^*\w]/g, '\\$&')
        .replaceAll('*', '.*')}$`,
    );
    const found = tables.filter((table) => pattern.test(lowerAscii(table.name)));
    if (found.length === 0) throw new CopyFault(`There is no table ${name}.`);
    for (const table of found) chosen.add(table);
  }
  return tables.filter((table) => chosen.has(table));
}
