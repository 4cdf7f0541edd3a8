import type { Change } from '../../entity/stored/change.js';
import { type EntityKey, type EntityText, timestampOf } from '../../entity/stored/entity.js';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { ServiceTraits } from '../../protocol/service-traits.js';
import type { QueryPlan } from '../../query/plan/plan.js';
import { type JudgedChange, type Judgement, judgeChanges } from '../judge-changes.js';
import type { EntityReversal } from '../snapshots.js';
import { isRefusal, type Page, type Refusal, type Table, type TableHandle } from '../store.js';
import { decide } from './decide.js';
import type { PendingChange } from './directories/pending-values.js';
import { type Layer, layersOfTable, newTableId, type TableRecord, withLayers } from './directories/table-directory.js';
import { encodeEntityKey, entityKeyEncoder, prefixOfLayer } from './engine/key-encoding.js';
import type { LevelParts } from './level-parts.js';
import type { CommitQueue } from './log/commit-queue.js';
import { placeChanges } from './order/ordinal-changes.js';
import { textOf } from './order/ordinal-encoding.js';
import { hideBelow, LayeredRows } from './read/layered-rows.js';
import type { ReadTable } from './read/read-page.js';
import { readTablePage } from './read/read-table-page.js';

/** Where the rows of a table are. */
interface TablePlace extends ReadTable {
  readonly id: string;
  /** The layers of the table's record. Others may take their place when they are merged. */
  readonly over: readonly Layer[] | undefined;
}

/** A table in LevelDB. Names are resolved in memory, so each operation checks that the table still exists. */
export class LevelTable implements TableHandle {
  readonly #parts: LevelParts;
  readonly #account: string;
  readonly #name: string;
  /**
   * When the handle's table was created, which no other table of its name shares. Empty if the table was missing, undefined
   * before the first operation.
   */
  #created: string | undefined;
  /** Where the rows of the table are now. Emptying it, and a snapshot, give it another place. */
  #place: TablePlace | undefined;

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

  readEntity(key: EntityKey): EntityText | undefined | Refusal | Promise<EntityText | undefined | Refusal> {
    const readable = this.#parts.reopener.readable;
    if (readable) return readable.then(() => this.readEntity(key));
    const place = this.#locate(this.#findWritten());
    if (!place) return { reason: 'table-missing', at: 0 };
    const stored = this.#readStored(place, encodeEntityKey(place.prefix, key));
    return place.isPlaced ? stored && textOf(stored) : stored;
  }

  readPage(plan: QueryPlan, isGone?: () => boolean): Promise<Page | Refusal> {
    return readTablePage(this.#parts, () => this.#locate(this.#findWritten()), plan, isGone);
  }

  commit(changes: readonly Change[], source?: object): Promise<readonly (EntityText | null)[] | Refusal> {
    const { clock, queue, reopener } = this.#parts;
    if (queue.hasFailed) return reopener.reopen().then(() => this.commit(changes, source));
    const table = this.#findWritable();
    const place = this.#locate(table);
    if (!table || !place) return refuse(queue, { reason: 'table-missing', at: 0 });
    const keyOf = entityKeyEncoder(place.prefix);
    const outcome = judgeChanges(
      changes,
      this.traits,
      () => clock.nextTimestamp(),
      (change) => keyOf(change.key),
      (key) => this.#readPendingText(place, key),
    );
    if (isRefusal(outcome)) return refuse(queue, outcome);
    const { judged } = outcome;
    return this.#write(table, place, changes, outcome, source).then(() => judged.map(({ value }) => value));
  }

  /** Gives entities back what they were, as `KeptStates.revertEntities`. */
  async revert(reversals: readonly EntityReversal[]): Promise<readonly number[] | Refusal> {
    const { clock, queue, reopener } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const table = this.#findWritable();
    const place = this.#locate(table);
    if (!table || !place) return refuse(queue, { reason: 'table-missing', at: 0 });
    const left: number[] = [];
    const changes: Change[] = [];
    const judged: JudgedChange[] = [];
    for (const [at, { key, present, text }] of reversals.entries()) {
      const stored = encodeEntityKey(place.prefix, key);
      const found = this.#readPendingText(place, stored) ?? null;
      if (found === text) continue;
      if (found !== present) {
        left.push(at);
        continue;
      }
      const timestamp = text === null ? clock.nextTimestamp() : timestampOf(text);
      changes.push(text === null ? { kind: 'delete', key, ifMatch: '*' } : { kind: 'insert', key, properties: [] });
      judged.push({ key: stored, value: text, previous: found, timestamp });
    }
    const dead = judged.filter(({ previous }) => previous !== null).length;
    await (judged.length > 0 ? this.#write(table, place, changes, { judged, dead }) : queue.settled());
    return left;
  }

  readAccessPolicies(): readonly AccessPolicy[] | undefined {
    const table = this.#findWritten();
    return table && (table.policies ?? []);
  }

  writeAccessPolicies(policies: readonly AccessPolicy[]): Promise<Refusal | undefined> {
    return decide(this.#parts, () => {
      const table = this.#findPending();
      if (!table) return { result: { reason: 'table-missing', at: 0 } };
      return { result: undefined, changes: [this.#parts.tables.put(this.#account, { ...table, policies })] };
    });
  }

  /** Writes judged changes in one batch, and then tells the listeners. */
  #write(
    table: TableRecord,
    place: TablePlace,
    changes: readonly Change[],
    { judged, dead: overwritten }: Judgement,
    source?: object,
  ): Promise<void> {
    const { queue, dead, listeners } = this.#parts;
    const { prefix, layers, isPlaced } = place;
    const placed = isPlaced ? placeChanges(prefix, judged, (key) => this.#readPending(place, key)) : undefined;
    dead.count(prefix, overwritten + (placed?.dead ?? 0));
    const notify = listeners.isEmpty
      ? undefined
      : () => listeners.notify({ account: this.#account, table: table.name, source }, changes, judged);
    const records = placed?.records ?? judged;
    if (!layers) return queue.add(records, notify);
    const own = this.#giveOwnRows(table);
    const written =
      own &&
      (() => {
        own.written();
        notify?.();
      });
    return queue.add([...(own?.records ?? []), ...hideBelow(records)], written ?? notify);
  }

  /** Writes the record of a table that gets rows of its own with a write; undefined if it has them. */
  #giveOwnRows(table: TableRecord): PendingChange | undefined {
    const { tables } = this.#parts;
    return tables.findPending(this.#account, this.#name)?.id === table.id
      ? undefined
      : tables.put(this.#account, table);
  }

  /** Returns the table as it was last written. */
  #findWritten(): TableRecord | undefined {
    return this.#bind(this.#parts.tables.find(this.#account, this.#name));
  }

  /** Returns the table as it will be when all pending changes are written. */
  #findPending(): TableRecord | undefined {
    return this.#bind(this.#parts.tables.findPending(this.#account, this.#name));
  }

  /** Returns the table as the next write finds it: with new rows of its own above those that others have, too. */
  #findWritable(): TableRecord | undefined {
    const { users, clock } = this.#parts;
    const table = this.#findPending();
    if (!table || !users.isShared(table)) return table;
    const own = { account: this.#account, id: newTableId(clock.nextTimestamp()) };
    return withLayers(this.#account, table, [own, ...layersOfTable(this.#account, table)]);
  }

  /** Returns the found table if it is the handle's table. The first table that is found becomes the handle's table. */
  #bind(found: TableRecord | undefined): TableRecord | undefined {
    this.#created ??= found?.created ?? '';
    return found?.created === this.#created ? found : undefined;
  }

  /** Returns where the rows of the table are. */
  #locate(table: TableRecord | undefined): TablePlace | undefined {
    if (!table) return undefined;
    const { id, layers: over, order } = table;
    if (this.#place?.id !== id || this.#place.over !== over) {
      const [own] = layersOfTable(this.#account, table);
      const prefix = prefixOfLayer(own);
      const layers = over && new LayeredRows(this.#parts, prefix, over);
      this.#place = { id, over, prefix, layers, isPlaced: order === 'insertion' };
    }
    return this.#place;
  }

  /** Returns an entity as it was last written: from the tail, the cache or the engine. Each can lack what the one before it has. */
  #readStored(place: TablePlace, key: string): EntityText | undefined {
    const written = this.#parts.queue.tail.get(place.prefix, key);
    // A tombstone is empty.
    return written === undefined ? this.#readBelowTail(place, key) : written || undefined;
  }

  #readBelowTail({ prefix, layers }: TablePlace, key: string): EntityText | undefined {
    const { engine, cache } = this.#parts;
    const cached = cache.get(prefix, key);
    if (cached !== undefined) return cached ?? undefined;
    // Synchronous, because a switch of threads costs more than the lookup. Source: docs/benchmarks.md.
    return layers ? layers.read(key) : engine.getSync(key);
  }

  /** Returns the text of an entity as it will be when all pending changes are written. */
  #readPendingText(place: TablePlace, key: string): EntityText | undefined {
    const stored = this.#readPending(place, key);
    return place.isPlaced ? stored && textOf(stored) : stored;
  }

  /** Returns the record of an entity as it will be when all pending changes are written. */
  #readPending(place: TablePlace, key: string): EntityText | undefined {
    const { cache, queue } = this.#parts;
    const pending = queue.pending(place.prefix, key);
    if (pending !== undefined) return pending || undefined;
    if (!place.layers) return this.#readBelowTail(place, key);
    const cached = cache.get(place.prefix, key);
    return cached === undefined ? place.layers.readPending(key) : (cached ?? undefined);
  }
}

/**
 * Returns a refusal after all pending changes are written. The refusal may depend on them, and the caller must be able to
 * read what it depends on.
 */
export async function refuse(queue: CommitQueue, refusal: Refusal): Promise<Refusal> {
  await queue.settled();
  return refusal;
}
