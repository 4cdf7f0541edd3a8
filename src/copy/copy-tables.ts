import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityKey } from '../entity/stored/entity.js';
import { type ActiveRange, copyRange, type TableJob } from './copy-range.js';
import { type CopyState, newRange, type RangeState, type TableState } from './copy-state.js';
import { isAtLeast, type Position, type SourceTable } from './ends/end.js';

/** A range must have as many rows before another reader takes half of the rest. Unit: rows. (Our choice: a split takes a dozen requests.) */
const sharedRowsMin = 4000;

/** Pause of a reader without work. Unit: milliseconds. (Our choice.) */
const idleMs = 50;

/** Returns the number of key ranges to read at the same time. (Our choice: one of two requests brings a page, which others write.) */
export function readersFor(transfers: number): number {
  return Math.ceil(transfers / 2);
}

/** The tables to copy. */
export interface TablesJob {
  readonly state: CopyState;
  /** Number of ranges to read at the same time. */
  readonly readers: number;
  /** Whether ranges may be divided. */
  readonly mayShare: boolean;
  /** Rows that a range must have before it is shared; a test needs few. */
  readonly sharedRowsMin?: number | undefined;
  /** The account, if there are several: a part of the names in the state. */
  readonly account: string | undefined;
  readonly jobOf: (table: string, signal: AbortSignal) => TableJob;
  /** Called before the first row of a table is written. */
  readonly onOpened: () => Promise<void> | undefined;
  readonly onTable: (job: TableJob, state: TableState) => Promise<void>;
  readonly signal: AbortSignal;
}

/** A range of a table. */
interface TableRange {
  readonly job: TableJob;
  readonly state: RangeState;
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
  const results = await Promise.allSettled(Array.from({ length: job.readers }, () => work.run()));
  job.signal.throwIfAborted();
  if (results.some(({ status }) => status === 'rejected')) throw work.failure;
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
        // A reader that only looks for work is not busy.
        const range = this.#ranges.shift() ?? (this.#tables.length === 0 ? await this.#share() : undefined);
        const table = range ? undefined : this.#tables.shift();
        if (range || table) {
          this.#busy++;
          await (range ? this.#copy(range) : this.#open(table as SourceTable)).finally(() => this.#busy--);
        } else if (this.#busy === 0) return;
        else await sleep(idleMs);
      }
    } catch (error) {
      this.failure ??= error;
      this.#stop.abort(error);
      throw error;
    }
  }

  async #open(table: SourceTable): Promise<void> {
    const { account, jobOf, onOpened, onTable } = this.#job;
    const { tables } = this.#job.state;
    const name = account === undefined ? table.name : `${account}/${table.name}`;
    // A table can have the name of a property of every object.
    const known = Object.hasOwn(tables, name) ? tables[name] : undefined;
    if (known?.report) return;
    const job = jobOf(table.name, this.#signal);
    const { wasEmpty, mark, note } = await job.target.open({ ...table, name: job.targetTable }, known?.ranges[0]?.mark);
    if (note !== undefined) job.onNote(note);
    const of = known ?? { wasEmpty, ranges: [newRange(mark === undefined ? {} : { mark })] };
    tables[name] = of;
    // Before its first row: a copy that continues cannot tell whether the table was empty.
    if (of !== known) await onOpened();
    const open = of.ranges.filter(({ isDone }) => !isDone);
    this.#ranges.push(...open.map((state) => ({ job, state, of })));
    if (open.length === 0) await onTable(job, of);
  }

  async #copy(range: TableRange): Promise<void> {
    const active: Active = { ...range, isBeingShared: false, readBefore: range.state.counts.read };
    this.#active.add(active);
    await copyRange(active, range.job).finally(() => this.#active.delete(active));
    if (range.of.ranges.every(({ isDone }) => isDone)) await this.#job.onTable(range.job, range.of);
  }

  /** Takes the later half of the rest of the longest range from its reader. */
  async #share(): Promise<TableRange | undefined> {
    const { mayShare, sharedRowsMin: rowsMin = sharedRowsMin } = this.#job;
    const [longest] = [...this.#active]
      .filter(({ isBeingShared, state, readBefore }) => !isBeingShared && state.counts.read - readBefore >= rowsMin)
      .sort((a, b) => b.state.counts.read - a.state.counts.read);
    const after = longest?.readTo;
    if (!mayShare || !longest || !after || !('partitionKey' in after)) return undefined;
    const { state, job, of } = longest;
    longest.isBeingShared = true;
    try {
      const { before } = state;
      const middle = await job.source.split?.(job.table, after, before);
      longest.readBefore = state.counts.read;
      // Its reader may have passed the middle meanwhile.
      if (!middle || isPast(longest.readTo, middle) || (before && isAtLeast(middle, before))) return undefined;
      state.before = middle;
      const rest = newRange({ from: middle, ...(before && { before }) });
      of.ranges.push(rest);
      return { job, state: rest, of };
    } finally {
      longest.isBeingShared = false;
    }
  }
}

function isPast(position: Position | undefined, key: EntityKey): boolean {
  return !position || !('partitionKey' in position) || isAtLeast(position, key);
}
