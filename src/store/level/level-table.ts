import type { Change } from '../../entity/change.js';
import type { Clock } from '../../entity/clock.js';
import type { EntityKey, EntityText } from '../../entity/entity.js';
import type { AccessPolicy } from '../../protocol/access-policy.js';
import type { QueryPlan } from '../../query/plan.js';
import type { CommitListeners } from '../commit-listeners.js';
import { judgeChanges } from '../judge-changes.js';
import { isRefusal, type Page, type Refusal, type Table, type TableHandle } from '../store.js';
import type { CommitQueue } from './commit-queue.js';
import type { DeadRecords } from './dead-records.js';
import type { Engine } from './engine.js';
import { encodeEntityKey, entityPrefix } from './key-encoding.js';
import type { ReadCache } from './read-cache.js';
import { readPage } from './read-page.js';
import type { EngineReopener } from './reopen-engine.js';
import type { TableDirectory, TableRecord } from './table-directory.js';

/** The parts of an open store that its tables use. */
export interface LevelParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly tables: TableDirectory;
  readonly queue: CommitQueue;
  readonly cache: ReadCache;
  readonly dead: DeadRecords;
  readonly listeners: CommitListeners;
  readonly reopener: EngineReopener;
}

/** A table in LevelDB. Names are resolved in memory, so each operation checks that the table still exists. */
export class LevelTable implements TableHandle {
  readonly #parts: LevelParts;
  readonly #account: string;
  readonly #name: string;
  readonly #source: object | undefined;
  /**
   * When the handle's table was created, which no other table of its name shares. Empty if the table was missing, undefined
   * before the first operation.
   */
  #created: string | undefined;
  /** The id that the table has now. It changes when the table is emptied. */
  #id = '';
  #prefix = '';

  constructor(parts: LevelParts, account: string, name: string, source: object | undefined) {
    this.#parts = parts;
    this.#account = account;
    this.#name = name;
    this.#source = source;
  }

  find(): Table | undefined {
    return this.#bind(this.#parts.tables.find(this.#account, this.#name));
  }

  readEntity(key: EntityKey): EntityText | undefined | Refusal | Promise<EntityText | undefined | Refusal> {
    const readable = this.#parts.reopener.readable;
    if (readable) return readable.then(() => this.readEntity(key));
    if (!this.find()) return { reason: 'table-missing', at: 0 };
    return this.#readWritten(encodeEntityKey(this.#prefix, key));
  }

  async readPage(plan: QueryPlan, isGone?: () => boolean): Promise<Page | Refusal> {
    const { reopener } = this.#parts;
    for (let readable = reopener.readable; readable; readable = reopener.readable) await readable;
    if (!this.find()) return { reason: 'table-missing', at: 0 };
    return readPage(this.#parts, this.#prefix, plan, isGone);
  }

  async commit(changes: readonly Change[]): Promise<readonly (EntityText | null)[] | Refusal> {
    const { clock, queue, dead, listeners } = this.#parts;
    if (queue.hasFailed) await this.#parts.reopener.reopen();
    const table = this.#findPending();
    if (!table) return refuse(queue, { reason: 'table-missing', at: 0 });
    const outcome = judgeChanges(
      changes,
      () => clock.nextTimestamp(),
      (change) => encodeEntityKey(this.#prefix, change.key),
      (key) => this.#readPending(key),
    );
    if (isRefusal(outcome)) return refuse(queue, outcome);
    const { judged } = outcome;
    dead.count(this.#prefix, outcome.dead);
    const notify = listeners.isEmpty
      ? undefined
      : () => listeners.notify({ account: this.#account, table: table.name, source: this.#source }, changes, judged);
    await queue.add(judged, notify);
    return judged.map(({ value }) => value);
  }

  readAccessPolicies(): readonly AccessPolicy[] | undefined {
    const table = this.#bind(this.#parts.tables.find(this.#account, this.#name));
    return table && (table.policies ?? []);
  }

  async writeAccessPolicies(policies: readonly AccessPolicy[]): Promise<Refusal | undefined> {
    const { reopener, queue, tables } = this.#parts;
    if (queue.hasFailed) await reopener.reopen();
    const table = this.#findPending();
    if (!table) return refuse(queue, { reason: 'table-missing', at: 0 });
    const { records, written } = tables.put(this.#account, { ...table, policies });
    await queue.add(records, written);
    return undefined;
  }

  /** Returns the table as it will be when all pending changes are written. */
  #findPending(): TableRecord | undefined {
    return this.#bind(this.#parts.tables.findPending(this.#account, this.#name));
  }

  /** Returns the found table if it is the handle's table. The first table that is found becomes the handle's table. */
  #bind(found: TableRecord | undefined): TableRecord | undefined {
    this.#created ??= found?.created ?? '';
    if (found?.created !== this.#created) return undefined;
    if (found.id !== this.#id) {
      this.#id = found.id;
      this.#prefix = entityPrefix(this.#account, found.id);
    }
    return found;
  }

  /** Returns an entity as it was last written. */
  #readWritten(key: string): EntityText | undefined | Promise<EntityText | undefined> {
    const { cache, queue } = this.#parts;
    // The engine may or may not have a change that is being written. The cache does not have it yet.
    const isUncertain = queue.isWriting && queue.pending(key) && cache.get(this.#prefix, key) === undefined;
    return isUncertain ? queue.readBetween(() => this.#readStored(key)) : this.#readStored(key);
  }

  /** Returns an entity from the cache or the engine. The cache comes first, because it decides what readers see. */
  #readStored(key: string): EntityText | undefined {
    const { engine, cache } = this.#parts;
    const cached = cache.get(this.#prefix, key);
    // Synchronous, because a switch of threads costs more than the look-up. Source: docs/benchmarks.md.
    return cached === undefined ? engine.getSync(key) : (cached ?? undefined);
  }

  /** Returns an entity as it will be when all pending changes are written. */
  #readPending(key: string): EntityText | undefined {
    const pending = this.#parts.queue.pending(key);
    return pending ? (pending.value ?? undefined) : this.#readStored(key);
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
