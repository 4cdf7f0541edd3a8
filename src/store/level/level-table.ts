import type { Change } from '../../entity/stored/change.js';
import type { EntityKey, EntityText } from '../../entity/stored/entity.js';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { ServiceTraits } from '../../protocol/service-traits.js';
import { compileTextTest } from '../../query/filter/evaluate-filter.js';
import { singleKeys } from '../../query/plan/key-ranges.js';
import type { QueryPlan } from '../../query/plan/plan.js';
import type { Writer } from '../commit-listeners.js';
import { EventLoopTurn } from '../event-loop-turn.js';
import { GrowingPage } from '../growing-page.js';
import { type Judgement, judgeChanges } from '../judge-changes.js';
import { isRejection, type Page, type Rejection, type Table, type TableHandle } from '../store.js';
import { decide, write } from './decide.js';
import type { PendingChange } from './directories/record-directory.js';
import { layersOfTable, newTableId, type TableRecord, withLayers } from './directories/table-directory.js';
import { tombstone } from './engine/engine.js';
import { encodeEntityKey, entityKeyEncoder } from './engine/key-encoding.js';
import type { LevelParts } from './level-parts.js';
import type { CommitQueue } from './log/commit-queue.js';
import { placeChanges, textOf } from './order/ordinal-encoding.js';
import { PlacedRows } from './order/ordinal-rows.js';
import { sourcesOf } from './read/merge-rows.js';
import { type PageSource, readPage, rowsOf, type TableRows } from './read/read-page.js';

/** A transaction with this many changes is probably part of a bulk insert. (Our choice.) */
const manyChanges = 32;

/** A table in LevelDB. Resolves its name in memory, so each operation checks that the table still exists. */
export class LevelTable implements TableHandle {
  readonly #parts: LevelParts;
  readonly #account: string;
  readonly #name: string;
  /** The creation time of the handle's table, unique for its name. Empty if the table was missing, undefined before the first operation. */
  #created: string | undefined;

  constructor(parts: LevelParts, account: string, name: string) {
    this.#parts = parts;
    this.#account = account;
    this.#name = name;
  }

  get traits(): ServiceTraits {
    return this.#parts.services.traitsOf(this.#account);
  }

  find(): Table | undefined {
    return this.#findWritten();
  }

  readEntity(key: EntityKey): EntityText | undefined | Rejection | Promise<EntityText | undefined | Rejection> {
    const readable = this.#parts.reopener.readable;
    if (readable) return readable.then(() => this.readEntity(key));
    const rows = this.#rowsOf(this.#findWritten());
    if (!rows) return { reason: 'table-missing', at: 0 };
    const stored = this.#read(rows, encodeEntityKey(rows.prefixes[0], key), false);
    return rows.isPlaced ? stored && textOf(stored) : stored;
  }

  readPage(plan: QueryPlan, isGone?: () => boolean): Promise<Page | Rejection> {
    return readTablePage(this.#parts, () => this.#rowsOf(this.#findWritten()), plan, isGone);
  }

  commit(changes: readonly Change[], writer?: Writer): Promise<readonly (EntityText | null)[] | Rejection> {
    const { queue, reopener, heap } = this.#parts;
    if (heap && (changes.some(({ kind }) => kind !== 'delete') || this.#isShared)) heap.check();
    // Reopens once: if the commit fails again, the disk rejects it, and so does the store.
    if (queue.hasFailed) return reopener.reopen().then(() => this.#commit(changes, writer));
    return this.#commit(changes, writer);
  }

  #commit(changes: readonly Change[], writer?: Writer): Promise<readonly (EntityText | null)[] | Rejection> {
    const { clock, queue } = this.#parts;
    const table = this.#findWritable();
    const rows = this.#rowsOf(table);
    if (!table || !rows) return reject(queue, { reason: 'table-missing', at: 0 });
    if (changes.length >= manyChanges) for (const prefix of rows.prefixes) queue.tail.highest.want(prefix);
    const keyOf = entityKeyEncoder(rows.prefixes[0]);
    const judgement = judgeChanges(
      changes,
      this.traits,
      () => clock.nextTimestamp(),
      (change) => keyOf(change.key),
      (key) => this.#readPendingText(rows, key),
    );
    if (isRejection(judgement)) return reject(queue, judgement);
    const { outcomes } = judgement;
    return this.#write(table, rows, changes, judgement, writer).then(() => outcomes.map(({ value }) => value));
  }

  readAccessPolicies(): readonly AccessPolicy[] | undefined {
    const table = this.#findWritten();
    return table && (table.policies ?? []);
  }

  writeAccessPolicies(policies: readonly AccessPolicy[]): Promise<Rejection | undefined> {
    return decide(this.#parts, () => {
      const table = this.#findPending();
      if (!table) return { result: { reason: 'table-missing', at: 0 } };
      return { result: undefined, changes: [this.#parts.tables.put(this.#account, { ...table, policies })] };
    });
  }

  /** Writes judged changes in one batch, and then notifies the listeners. */
  #write(
    table: TableRecord,
    rows: TableRows,
    changes: readonly Change[],
    { outcomes, dead: overwritten }: Judgement,
    writer?: Writer,
  ): Promise<void> {
    const { queue, dead, listeners } = this.#parts;
    const { prefixes, isPlaced } = rows;
    const [prefix] = prefixes;
    const placed = isPlaced ? placeChanges(prefix, outcomes, (key) => this.#read(rows, key, true)) : undefined;
    dead.count(prefix, overwritten + (placed?.dead ?? 0));
    const notify = listeners.isEmpty
      ? undefined
      : () => listeners.notify({ account: this.#account, table: table.name, writer }, changes, outcomes);
    const records = placed?.records ?? outcomes;
    if (prefixes.length === 1) return queue.add(records, notify);
    // A deleted row gets a tombstone even if no layer below has it.
    const hiding = records.map(({ key, value }) => ({ key, value: value ?? tombstone }));
    return write(queue, [...this.#giveOwnRows(table), { records: hiding, written: notify ?? (() => {}) }]);
  }

  /** Returns the change that gives a table rows of its own, unless it has them. */
  #giveOwnRows(table: TableRecord): readonly PendingChange[] {
    const { tables } = this.#parts;
    const hasOwn = tables.findPending(this.#account, this.#name)?.id === table.id;
    return hasOwn ? [] : [tables.put(this.#account, table)];
  }

  /** Whether deleted rows stay for a snapshot, a branch or an undo. */
  get #isShared(): boolean {
    const table = this.#findPending();
    return table !== undefined && (this.#parts.users.isShared(table) || layersOfTable(this.#account, table).length > 1);
  }

  #findWritten(): TableRecord | undefined {
    return this.#bind(this.#parts.tables.find(this.#account, this.#name));
  }

  #findPending(): TableRecord | undefined {
    return this.#bind(this.#parts.tables.findPending(this.#account, this.#name));
  }

  /** Returns the table for the next write: with new rows of its own above shared ones. */
  #findWritable(): TableRecord | undefined {
    const { users, clock } = this.#parts;
    const table = this.#findPending();
    if (!table || !users.isShared(table)) return table;
    const own = { account: this.#account, id: newTableId(clock.nextTimestamp()) };
    return withLayers(this.#account, table, [own, ...layersOfTable(this.#account, table)]);
  }

  /** Returns a table if it is the handle's. The first lookup decides which one that is. */
  #bind(found: TableRecord | undefined): TableRecord | undefined {
    this.#created ??= found?.created ?? '';
    return found?.created === this.#created ? found : undefined;
  }

  #rowsOf(table: TableRecord | undefined): TableRows | undefined {
    return table && rowsOf(layersOfTable(this.#account, table), table);
  }

  /** Returns the text of an entity as of all pending changes. */
  #readPendingText(rows: TableRows, key: string): EntityText | undefined {
    const stored = this.#read(rows, key, true);
    return rows.isPlaced ? stored && textOf(stored) : stored;
  }

  /**
   * Returns the record of an entity as last written, or as of all pending changes: from the tail, the cache or the engine. Each source
   * may lack entries of the previous one.
   *
   * Readers find the table once the commit that froze its layers is written, and then nothing below changes. Writers find it earlier, so
   * they also need the pending changes of these layers.
   */
  #read({ prefixes }: TableRows, key: string, isPending: boolean): EntityText | undefined {
    const { engine, cache, queue } = this.#parts;
    const [own] = prefixes;
    for (const prefix of prefixes) {
      const stored = prefix === own ? key : prefix + key.slice(own.length);
      let text = isPending ? queue.pending(prefix, stored) : queue.tail.get(prefix, stored);
      if (text === undefined && prefix === own) {
        const cached = cache.get(own, key);
        // The cache holds the merged rows of all layers.
        if (cached !== undefined) return cached ?? undefined;
      }
      if (text === undefined && isPending && queue.tail.highest.lacks(prefix, stored)) continue;
      // Synchronous, because a switch of threads costs more than the lookup. Source: docs/benchmarks.md.
      if (text === undefined) text = engine.getSync(stored);
      // A tombstone is empty.
      if (text !== undefined && text !== null) return text || undefined;
    }
    return undefined;
  }
}

/** Returns a rejection once all pending changes are written: it may depend on them, and the caller must be able to read them. */
export async function reject(queue: CommitQueue, rejection: Rejection): Promise<Rejection> {
  await queue.confirm();
  return rejection;
}

/**
 * Reads one page of a table in its order or in key order, or returns `table-missing`. `locate` returns the current location of the
 * rows, which may change while the read waits for the engine. `isGone`: whether the client has disconnected. Errors: Abandoned.
 */
async function readTablePage(
  source: PageSource,
  locate: () => TableRows | undefined,
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page | Rejection> {
  const { reopener } = source;
  for (;;) {
    for (let readable = reopener.readable; readable; readable = reopener.readable) await readable;
    const table = locate();
    if (!table) return { reason: 'table-missing', at: 0 };
    const isOrdered = table.isPlaced && plan.order !== 'key';
    const page = await (isOrdered
      ? readPlacedPage(source, table.prefixes, plan, isGone)
      : readPage(source, table, plan, isGone));
    if (page) return table.isPlaced && !isOrdered ? { ...page, rows: page.rows.map(textOf) } : page;
    await reopener.scannable;
  }
}

/**
 * Reads one page of a table in insertion order, from one moment. Returns undefined if the engine cannot be scanned now. A page begins
 * with a seek to its place. A row outside the ranges costs one record of the order; its entity is not read.
 *
 * - Ranges that are single keys: looks up the entities and sorts them.
 * - Ranges in one partition: reads the order of the partition.
 * - Other ranges: reads the order of the table.
 *
 * `isGone`: whether the client has disconnected. Errors: Abandoned.
 */
async function readPlacedPage(
  { engine, queue, reopener, gate }: PageSource,
  prefixes: readonly string[],
  plan: QueryPlan,
  isGone?: () => boolean,
): Promise<Page | undefined> {
  if (plan.ranges.length === 0) return { rows: [], examined: 0 };
  if (reopener.scannable) return undefined;
  gate.enter();
  try {
    const hold = (closed: Promise<unknown>) => gate.hold(closed);
    // Read once, so that the whole page shows one moment.
    const sources = sourcesOf(queue.tail, prefixes);
    return await fillPage(new PlacedRows(engine, () => sources, { hold }), plan, isGone);
  } finally {
    gate.leave();
  }
}

async function fillPage(table: PlacedRows, plan: QueryPlan, isGone: (() => boolean) | undefined): Promise<Page> {
  const { ranges, filter } = plan;
  const turn = new EventLoopTurn(isGone);
  const page = new GrowingPage(plan);
  const matches = filter && compileTextTest(filter);
  const keys = singleKeys(ranges);
  const rows = keys ? table.lookUp(keys, plan.startAt) : table.inOrder(plan, isGone);
  for await (const chunk of table.entities(rows, () => (matches ? Infinity : page.rowsWanted))) {
    for (const { place, text } of chunk) {
      if ((!matches || matches(text)) && !page.add(text)) {
        const { next, ...rest } = page.finish();
        return next ? { ...rest, next: { ...next, place } } : rest;
      }
      page.examined++;
    }
    if (turn.isOver(chunk.length)) await turn.next();
  }
  return page.finish();
}
