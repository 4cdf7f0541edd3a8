import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityKey } from '../entity/stored/entity.js';
import { type ActiveRange, copyRange, type RangeJob } from './copy-range.js';
import { type CopyState, newRange, type RangeState, type TableState } from './copy-state.js';
import { isAtLeast, type Position, type Source, type SourceTable, type Target } from './ends/end.js';

/** A range must have as many rows before another reader takes half of the rest. Unit: rows. (Our choice: a split takes a dozen requests.) */
const sharedRowsMin = 4000;

/** Readers of tables that cannot be read in ranges. (Our choice.) */
const wholeReaders = 4;

/** Pause of a reader without work. Unit: milliseconds. (Our choice.) */
const idleMs = 50;

/** The tables to copy. */
export interface TablesJob {
  readonly source: Source;
  readonly target: Target | undefined;
  readonly state: CopyState;
  /** Number of ranges to read at the same time. */
  readonly readers: number;
  /** Rows that a range must have before it is shared; a test needs few. */
  readonly sharedRowsMin?: number | undefined;
  readonly nameOf: (table: string) => string;
  /** Returns the name of a table in the state. */
  readonly stateNameOf: (table: string) => string;
  readonly jobOf: (table: string, signal: AbortSignal) => RangeJob;
  readonly onTable: (table: string, state: TableState) => Promise<void>;
  readonly signal: AbortSignal;
}

/** A range of a table. */
interface TableRange {
  readonly table: string;
  readonly range: RangeState;
  readonly of: TableState;
}

/** A range that is being read. */
interface Active extends TableRange, ActiveRange {
  isBeingShared: boolean;
  /** The rows that it had read when it was shared last, or could not be. */
  readBefore: number;
}

/** Copies tables. Readers without work take half of the rest of the longest range. Errors: CopyFault; the reason of the signal. */
export async function copyTables(tables: readonly SourceTable[], job: TablesJob): Promise<void> {
  const work = new Work(tables, job);
  const most = job.source.splits ? job.readers : Math.min(job.readers, wholeReaders);
  const readers = job.target?.order === 'tables' ? 1 : most;
  const results = await Promise.allSettled(Array.from({ length: readers }, () => work.run()));
  job.signal.throwIfAborted();
  for (const result of results) if (result.status === 'rejected') throw work.failure;
}

class Work {
  failure: unknown;
  readonly #job: TablesJob;
  readonly #tables: SourceTable[];
  readonly #ranges: TableRange[] = [];
  readonly #active = new Set<Active>();
  /** Number of readers that may bring new ranges. */
  #busy = 0;
  /** Ends the other readers after a failure. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(tables: readonly SourceTable[], job: TablesJob) {
    this.#tables = [...tables];
    this.#job = job;
    this.#signal = AbortSignal.any([job.signal, this.#stop.signal]);
  }

  /** Copies ranges until none is left. */
  async run(): Promise<void> {
    try {
      for (;;) {
        this.#signal.throwIfAborted();
        this.#busy++;
        const worked = await this.#step().finally(() => this.#busy--);
        if (worked) continue;
        if (this.#busy === 0) return;
        await sleep(idleMs);
      }
    } catch (error) {
      this.failure ??= error;
      this.#stop.abort(error);
      throw error;
    }
  }

  /** Copies a range, or opens a table. Returns whether there was anything to do. */
  async #step(): Promise<boolean> {
    const range = this.#ranges.shift();
    if (range) await this.#copy(range);
    else if (this.#tables.length > 0) await this.#open(this.#tables.shift() as SourceTable);
    else {
      // A reader that only looks for work is not busy.
      this.#busy--;
      const shared = await this.#share().finally(() => this.#busy++);
      if (!shared) return false;
      await this.#copy(shared);
    }
    return true;
  }

  async #open(table: SourceTable): Promise<void> {
    const { target, state, nameOf, stateNameOf, onTable } = this.#job;
    const known = state.tables[stateNameOf(table.name)];
    if (known?.report) return;
    const mark = known?.ranges[0]?.mark;
    let opened = { wasEmpty: known?.wasEmpty ?? true } as { wasEmpty: boolean; mark?: number };
    if (!known?.isWritten) {
      const marks = Object.values(state.tables).map(({ ranges }) => ranges[0]?.mark ?? 0);
      const found = await target?.open({ ...table, name: nameOf(table.name) }, mark, Math.max(0, ...marks));
      opened = found ?? opened;
    }
    const of = known ?? { wasEmpty: opened.wasEmpty, ranges: [newRange()] };
    const [first] = of.ranges;
    if (first && mark === undefined && opened.mark !== undefined) first.mark = opened.mark;
    state.tables[stateNameOf(table.name)] = of;
    const open = of.ranges.filter(({ isDone }) => !isDone);
    this.#ranges.push(...open.map((range) => ({ table: table.name, range, of })));
    if (open.length === 0) await onTable(table.name, of);
  }

  async #copy({ table, range, of }: TableRange): Promise<void> {
    const active: Active = { table, range, of, state: range, isBeingShared: false, readBefore: range.read };
    this.#active.add(active);
    try {
      await copyRange(active, this.#job.jobOf(table, this.#signal));
    } finally {
      this.#active.delete(active);
    }
    if (of.ranges.every(({ isDone }) => isDone)) await this.#job.onTable(table, of);
  }

  /** Takes the later half of the rest of the longest range from its reader. */
  async #share(): Promise<TableRange | undefined> {
    const { source, target, jobOf, sharedRowsMin: rowsMin = sharedRowsMin } = this.#job;
    if (!source.splits || (target && target.order !== 'any')) return undefined;
    const [longest] = [...this.#active]
      .filter(({ isBeingShared, range, readBefore }) => !isBeingShared && range.read - readBefore >= rowsMin)
      .sort((a, b) => b.range.read - a.range.read);
    if (!longest) return undefined;
    const { limit, wish } = jobOf(longest.table, this.#signal);
    const { range, table, of, readTo: after } = longest;
    if (limit !== Number.POSITIVE_INFINITY || !after || !('partitionKey' in after)) return undefined;
    longest.isBeingShared = true;
    try {
      const { before } = range;
      const middle = await source.split(table, after, before, wish);
      longest.readBefore = range.read;
      // Its reader may have passed the middle meanwhile.
      if (!middle || isPast(longest.readTo, middle) || (before && isAtLeast(middle, before))) return undefined;
      range.before = middle;
      const rest = newRange({ from: middle, ...(before && { before }) });
      of.ranges.push(rest);
      return { table, range: rest, of };
    } finally {
      longest.isBeingShared = false;
    }
  }
}

function isPast(position: Position | undefined, key: EntityKey): boolean {
  return !position || !('partitionKey' in position) || isAtLeast(position, key);
}
