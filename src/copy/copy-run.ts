import { isDeepStrictEqual } from 'node:util';
import { checkTablesOfProperties, chooseTables } from './choose-tables.js';
import type { CopyReport, CopyWish, Difference, RejectedEntity, TableReport } from './contract.js';
import type { CopyOptions } from './copy.js';
import type { TableJob } from './copy-range.js';
import { type CopyState, newRange, newState, type StateFile, type TableState } from './copy-state.js';
import { copyTables } from './copy-tables.js';
import { dryTarget } from './dry-target.js';
import { CopyFault, type Source, type SourceTable, type WriteResult } from './ends/end.js';
import type { Pair } from './ends/open-end.js';
import { Flow } from './flow.js';
import { namesTable, rowChanger } from './rows/change-row.js';
import { addSum, emptySum, type Sum, sumText } from './rows/sum-rows.js';
import { type LeftRows, listedMax, sumSource, verifyTable } from './verify.js';

/** Copies pairs of ends, and collects their report. */
export class CopyRun {
  readonly #wish: CopyWish;
  readonly #file: StateFile | undefined;
  readonly #state: CopyState;
  readonly #options: CopyOptions;
  readonly #flow: Flow;
  readonly #tables: TableReport[] = [];
  readonly #masked: Set<string>;
  readonly #found = {
    rejected: [] as RejectedEntity[],
    differences: 0,
    different: [] as Difference[],
    notes: [] as string[],
  };

  constructor(wish: CopyWish, file: StateFile | undefined, options: CopyOptions) {
    this.#wish = wish;
    this.#file = file;
    this.#state = file?.state ?? newState('', wish.maskKey);
    this.#masked = new Set(this.#state.masked);
    this.#state.rejected ??= [];
    this.#found.rejected = this.#state.rejected;
    this.#options = options;
    this.#flow = new Flow(wish.memoryMb * 1024 * 1024);
    for (const { report } of Object.values(this.#state.tables)) if (report) this.#tables.push(report);
  }

  /** Copies the tables of the sources, and verifies them. Errors: CopyFault; the reason of the signal. */
  async copyPairs(pairs: readonly Pair[]): Promise<void> {
    const chosen: (readonly SourceTable[])[] = [];
    for (const { source } of pairs) chosen.push(await this.#tablesOf(source));
    checkTablesOfProperties(chosen.flat(), this.#wish);
    for (const [at, pair] of pairs.entries()) await this.#copyPair(pair, chosen[at] ?? []);
  }

  async #copyPair(pair: Pair, tables: readonly SourceTable[]): Promise<void> {
    const { account, isWhole, isCosmos } = pair;
    const { compare, dryRun, settings, readers } = this.#wish;
    if (pair.targetTable !== undefined && tables.length > 1)
      throw new CopyFault(`The target is one table, but the source has ${tables.length}. Choose one with --table.`);
    if (compare) {
      for (const { name } of tables) await this.#compare(this.#jobOf(pair, name, this.#options.signal));
      return;
    }
    const target = dryRun ? dryTarget : pair.target;
    const unknown = tables.filter(({ policies }) => policies === undefined).length;
    if (unknown > 0)
      this.#found.notes.push(`Stored access policies of ${unknown} tables were not copied: they cannot be read.`);
    const targetTables = tables.map(({ name }) => this.#targetTableOf(pair, name));
    await target.prepare?.(targetTables, this.#file?.continues ?? false);
    // Before the first write: a copy that continues must have the same key of masks and samples.
    await this.#file?.save(true);
    if (!dryRun && (settings || (isWhole && !isCosmos))) await this.#copySettings(pair);
    const { signal, sharedRowsMin } = this.#options;
    try {
      await copyTables(tables, {
        ...{ account, state: this.#state, readers, sharedRowsMin, signal },
        mayShare: !target.isOrdered && this.#wish.filter === undefined && this.#wish.limit === Number.POSITIVE_INFINITY,
        jobOf: (table, signal) => this.#jobOf({ ...pair, target }, table, signal),
        onTable: (job, state) => this.#endTable(job, state),
      });
    } catch (error) {
      const isBegun = this.#file?.continues || Object.keys(this.#state.tables).length > 0;
      await (isBegun ? this.#file?.save(true) : this.#file?.remove());
      throw error;
    }
    if (!target.complete) return;
    this.#state.isCompleting = true;
    await this.#file?.save(true);
    await target.complete();
  }

  /** Returns the report of all pairs so far. */
  report(): Omit<CopyReport, 'from' | 'to' | 'continued' | 'ms'> {
    const count = (name: 'written' | 'same' | 'rejected') => this.#tables.reduce((sum, table) => sum + table[name], 0);
    const unusedMasks = this.#unusedMasks();
    const maskNotes = unusedMasks.map((name) => `--mask ${name} matched no entity. Nothing is masked by it.`);
    return {
      tables: this.#tables.sort((a, b) => (a.table < b.table ? -1 : 1)),
      rows: count('written') + count('same'),
      rejectedRows: count('rejected'),
      ...this.#found,
      unusedMasks,
      notes: [...this.#found.notes, ...maskNotes],
    };
  }

  async #tablesOf(source: Source): Promise<readonly SourceTable[]> {
    const { isCompleting, tables } = this.#state;
    // Once the files are being moved to their place, the tables are those of the files.
    if (isCompleting) return Object.keys(tables).map((name) => ({ name, policies: [] }));
    return chooseTables(await source.tables(), this.#wish);
  }

  /** Returns the masks that changed no entity, although there are some. */
  #unusedMasks(): readonly string[] {
    const filled = this.#tables.filter(({ read, written, same, skipped, rejected }) =>
      this.#wish.compare ? read > 0 : written + same + skipped + rejected > 0,
    );
    return this.#wish.mask.filter(
      (name) => !this.#masked.has(name) && filled.some(({ table }) => namesTable(name, table)),
    );
  }

  async #copySettings({ source, target, isCosmos }: Pair): Promise<void> {
    if (source.settings && target.writeSettings && !isCosmos) await target.writeSettings(await source.settings());
    else this.#found.notes.push('Service properties were not copied: only storage accounts have them.');
  }

  #targetTableOf({ targetTable }: Pair, table: string): string {
    return this.#wish.rename.get(table) ?? targetTable ?? table;
  }

  #jobOf(pair: Pair, table: string, signal: AbortSignal): TableJob {
    const wish = this.#wish;
    const { source, target } = pair;
    const maskKey = wish.maskKey ?? this.#state.maskKey ?? '';
    const { masked } = this.#state;
    const onMask = (name: string) => {
      if (!this.#masked.has(name)) masked?.push(name);
      this.#masked.add(name);
    };
    const targetTable = this.#targetTableOf(pair, table);
    return {
      ...{ source, target, table, targetTable, wish, signal, flow: this.#flow },
      change: rowChanger({ ...wish, maskKey, onMask, select: source.isOfFiles ? wish.select : undefined }, table),
      isHashed: wish.verify && !wish.dryRun,
      // A file may have a key twice, and Cosmos DB keeps the order of insertion.
      isSerial: source.isOfFiles || (pair.isWhole && pair.isCosmos),
      onNote: (note) => this.#found.notes.push(note),
      onProgress: (result, fraction) => this.#onProgress(table, targetTable, result, fraction),
    };
  }

  #onProgress(table: string, targetTable: string, result: WriteResult, fraction: number | undefined): void {
    const { rejected } = this.#found;
    for (const { row, code, message } of result.failed) {
      if (rejected.length >= listedMax) break;
      const one = { table: targetTable, partitionKey: row.partitionKey, rowKey: row.rowKey, code, message };
      // A copy that continues may write a page again.
      if (!this.#file?.continues || !rejected.some((other) => isDeepStrictEqual(one, other))) rejected.push(one);
    }
    const rows = result.written + result.same + result.skipped.length + result.failed.length;
    this.#options.progress.add(table, rows, fraction);
    // A later save, or that at the end, reports the fault.
    this.#file?.save().catch(() => {});
  }

  /** Compares a table with what was read, and reports it. */
  async #endTable(job: TableJob, state: TableState): Promise<void> {
    const sum = emptySum();
    let unreadable = 0;
    const total = { read: 0, written: 0, same: 0, skipped: 0, rejected: 0 };
    for (const range of state.ranges) {
      addSum(sum, range.sum.lanes, range.sum.rows);
      const { read, written, same, skipped, rejected } = range.counts;
      total.read += read;
      total.written += written;
      total.same += same;
      total.skipped += skipped;
      total.rejected += rejected;
      unreadable += range.unreadable ?? 0;
    }
    const left = { skipped: total.skipped, rejected: total.rejected - unreadable };
    const verified = job.isHashed ? await this.#verify(job, state, sum, left) : undefined;
    const ranges = state.ranges.length;
    state.report = { table: job.table, ...total, ranges, verified: 'no', source: sumText(sum), ...verified };
    this.#tables.push(state.report);
  }

  /** Compares tables without writing. */
  async #compare(job: TableJob): Promise<void> {
    const sum = await sumSource(job, (rows) => this.#options.progress.add(job.table, rows));
    const verified = await this.#verify(job, { wasEmpty: true, ranges: [newRange()] }, sum, {
      skipped: 0,
      rejected: 0,
    });
    const counts = { read: sum.rows, written: 0, same: 0, skipped: 0, rejected: 0 };
    this.#tables.push({ table: job.table, ...counts, ranges: 1, source: sumText(sum), ...verified });
  }

  async #verify(job: TableJob, state: TableState, sum: Sum, left: LeftRows) {
    const onRows = (rows: number) => this.#options.progress.add(`${job.table}, verifying`, rows);
    const { verified, target, differences, different, note } = await verifyTable(job, state, { sum, left, onRows });
    this.#found.differences += differences;
    this.#found.different.push(...different.slice(0, listedMax - this.#found.different.length));
    if (note !== undefined) this.#found.notes.push(note);
    return { verified, target };
  }
}
