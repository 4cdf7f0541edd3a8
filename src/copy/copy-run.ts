import { lowerAscii } from '../protocol/names.js';
import { checkTablesOfProperties, chooseTables, isChosen } from './choose-tables.js';
import { addCounts, type CopyWish, emptyCounts, type RowCounts } from './contract.js';
import type { CopyOptions } from './copy.js';
import type { TableJob } from './copy-range.js';
import { type CopyState, newRange, newState, type StateFile, type TableState } from './copy-state.js';
import { copyTables, readersFor } from './copy-tables.js';
import { CopyFault, type Page, type Source, type SourceTable, type WriteResult } from './ends/end.js';
import type { Pair } from './ends/open-end.js';
import { Findings } from './findings.js';
import { rowChanger } from './rows/change-row.js';
import { addSum, emptySum, rowHasher, type Sum, sumText } from './rows/sum-rows.js';
import { type ComparedSource, noTable, sumSource, verifyTable } from './verify.js';

/** Copies pairs of ends, and collects their report. */
export class CopyRun {
  readonly #wish: CopyWish;
  readonly #file: StateFile | undefined;
  readonly #state: CopyState;
  readonly #options: CopyOptions;
  readonly #findings: Findings;

  constructor(wish: CopyWish, file: StateFile | undefined, options: CopyOptions) {
    this.#wish = wish;
    this.#file = file;
    this.#state = file?.state ?? newState('', wish.maskKey);
    this.#findings = new Findings(wish, this.#state);
    this.#options = options;
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
    const { dryRun, settings, transfers } = this.#wish;
    if (pair.targetTable !== undefined && tables.length > 1)
      throw new CopyFault(`The target is one table, but the source has ${tables.length}. Choose one with --table.`);
    if (pair.other) return this.#comparePair(pair, pair.other, tables);
    const { target } = pair;
    const unknown = tables.filter(({ policies }) => policies === undefined).length;
    if (unknown > 0)
      this.#findings.note(`Stored access policies of ${unknown} tables were not copied: they cannot be read.`);
    const targetTables = tables.map(({ name }) => this.#targetTableOf(pair, name));
    await target.prepare?.(targetTables, this.#file?.continues ?? false);
    // Before the first write: a copy that continues must have the same key of masks and samples.
    await this.#file?.save(true);
    if (!dryRun && (settings || (isWhole && !isCosmos))) await this.#copySettings(pair);
    const { signal, sharedRowsMin } = this.#options;
    try {
      await copyTables(tables, {
        ...{ account, state: this.#state, readers: readersFor(transfers), sharedRowsMin, signal },
        mayShare: !target.isOrdered && this.#wish.filter === undefined && this.#wish.limit === Number.POSITIVE_INFINITY,
        jobOf: (table, signal) => this.#jobOf(pair, table, signal),
        onOpened: () => this.#file?.save(true),
        onTable: (job, state) => this.#endTable(job, state),
      });
    } catch (error) {
      await this.#file?.save(true);
      throw error;
    }
    if (!target.complete) return;
    this.#state.isCompleting = true;
    await this.#file?.save(true);
    await target.complete();
  }

  /** Returns the report of all pairs so far. */
  report(): ReturnType<Findings['report']> {
    return this.#findings.report();
  }

  async #tablesOf(source: Source): Promise<readonly SourceTable[]> {
    const { isCompleting, tables } = this.#state;
    // Once the files are being moved to their place, the tables are those of the files, in the order in which a service lists them.
    if (isCompleting)
      return Object.keys(tables)
        .sort()
        .map((name) => ({ name, policies: [] }));
    return chooseTables(await source.tables(), this.#wish);
  }

  async #copySettings({ source, target, isCosmos }: Pair): Promise<void> {
    if (source.settings && target.writeSettings && !isCosmos) await target.writeSettings(await source.settings());
    else this.#findings.note('Service properties were not copied: only storage accounts have them.');
  }

  #targetTableOf({ targetTable }: Pair, table: string): string {
    return this.#wish.rename.get(table) ?? targetTable ?? table;
  }

  #jobOf(pair: Pair, table: string, signal: AbortSignal): TableJob {
    const wish = this.#wish;
    const { source, target } = pair;
    const maskKey = wish.maskKey ?? this.#state.maskKey ?? '';
    const onMask = (name: string) => this.#findings.mask(name);
    const targetTable = this.#targetTableOf(pair, table);
    return {
      ...{ source, target, table, targetTable, wish, signal },
      change: rowChanger({ ...wish, maskKey, onMask, select: source.isOfFiles ? wish.select : undefined }, table),
      hash: wish.verify && !wish.dryRun ? rowHasher() : undefined,
      // A file may have a key twice, and it and Cosmos DB keep the order of insertion.
      isSerial: source.isOfFiles || target.isOrdered || (pair.isWhole && pair.isCosmos),
      onNote: (note) => this.#findings.note(note),
      onProgress: (result, fraction) => this.#onProgress(table, targetTable, result, fraction),
    };
  }

  #onProgress(table: string, targetTable: string, result: WriteResult, fraction: number | undefined): void {
    this.#findings.reject(targetTable, result.failed, this.#file?.continues ?? false);
    const rows = result.written + result.same + result.skipped.length + result.failed.length;
    this.#options.progress.add(table, rows, fraction);
    // A later save, or that at the end, reports the fault.
    this.#file?.save().catch(() => {});
  }

  /** Compares a table with what was read, and reports it. */
  async #endTable(job: TableJob, state: TableState): Promise<void> {
    const [sum, total] = [emptySum(), emptyCounts()];
    for (const range of state.ranges) {
      addSum(sum, range.sum);
      addCounts(total, range.counts);
    }
    const reader = job.hash ? await job.target.reader(job.targetTable) : undefined;
    const verified = reader ? await this.#verify(job, reader, state, sum, total) : { verified: 'no' as const };
    state.report = { table: job.table, ...total, ranges: state.ranges.length, source: sumText(sum), ...verified };
    this.#findings.addTable(state.report);
  }

  /** Compares the tables of both ends without writing. */
  async #comparePair(pair: Pair, other: Source, tables: readonly SourceTable[]): Promise<void> {
    const ofOther = new Map((await other.tables()).map(({ name }) => [lowerAscii(name), name]));
    for (const { name: table } of tables) {
      const job = this.#jobOf(pair, table, this.#options.signal);
      const found = ofOther.get(lowerAscii(job.targetTable));
      ofOther.delete(lowerAscii(job.targetTable));
      const counts = emptyCounts();
      const sum = await sumSource(job, (page) => this.#onPage(page, table, table, counts));
      const ends = { ...job, targetTable: found ?? job.targetTable };
      const reader = found === undefined ? noTable : other;
      const state = { wasEmpty: true, ranges: [newRange()] };
      const { verified, target } = await this.#verify(ends, reader, state, sum, counts);
      if (found === undefined) this.#findings.note(`The target has no table ${job.targetTable}.`);
      const verdict = found === undefined ? 'different' : verified;
      const report = { table, ...counts, read: sum.rows, ranges: 1, source: sumText(sum), target };
      this.#findings.addTable({ ...report, verified: verdict });
    }
    for (const table of pair.isOneTable ? [] : ofOther.values()) {
      if (!isChosen(table, this.#wish.tables)) continue;
      this.#findings.note(`Only the target has the table ${table}.`);
      this.#findings.addTable({
        table,
        ...emptyCounts(),
        ranges: 0,
        source: sumText(emptySum()),
        verified: 'different',
      });
    }
  }

  /** Counts a page that was read to be compared. Its rows that cannot be read are rejected ones. */
  #onPage({ rows, unreadable = [] }: Page, table: string, what: string, counts: RowCounts): void {
    this.#findings.reject(table, unreadable, false);
    counts.rejected += unreadable.length;
    counts.unreadable += unreadable.length;
    this.#options.progress.add(what, rows.length);
  }

  async #verify(job: TableJob, reader: ComparedSource, state: TableState, sum: Sum, counts: RowCounts) {
    const onPage = (page: Page) => this.#onPage(page, job.table, `${job.table}, verifying`, counts);
    const found = await verifyTable(job, reader, state, { sum, counts, onPage });
    const { verified, target, differences, different, note } = found;
    this.#findings.addDifferences(differences, different);
    if (note !== undefined) this.#findings.note(note);
    return { verified, target };
  }
}
