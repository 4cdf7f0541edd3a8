import type { Change } from '../../entity/change.js';
import type { Clock } from '../../entity/clock.js';
import type { EntityKey, EntityText } from '../../entity/entity.js';
import type { AccessPolicy } from '../../protocol/access-policy.js';
import type { QueryPlan } from '../../query/plan.js';
import { judgeChanges } from '../judge-changes.js';
import { isRefusal, type Page, type Refusal, type Table, type TableHandle } from '../store.js';
import type { CommitQueue } from './commit-queue.js';
import type { DeadRecords } from './dead-records.js';
import type { Engine } from './engine.js';
import { encodeEntityKey, entityPrefix } from './key-encoding.js';
import type { EngineMender } from './mend-engine.js';
import type { ReadCache } from './read-cache.js';
import { readPage } from './read-page.js';
import type { TableDirectory, TableRecord } from './table-directory.js';

/** The parts of an open store that its tables use. */
export interface LevelParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly tables: TableDirectory;
  readonly queue: CommitQueue;
  readonly cache: ReadCache;
  readonly dead: DeadRecords;
  readonly mender: EngineMender;
}

/** A table in LevelDB. Names are resolved in memory, so every operation checks that its table is still there. */
export class LevelTable implements TableHandle {
  readonly #parts: LevelParts;
  readonly #account: string;
  readonly #name: string;
  /** The id of the table that the handle stands for; empty if the table was missing, undefined before the first operation. */
  #id: string | undefined;
  #prefix = '';

  constructor(parts: LevelParts, account: string, name: string) {
    this.#parts = parts;
    this.#account = account;
    this.#name = name;
  }

  find(): Table | undefined {
    return this.#same(this.#parts.tables.find(this.#account, this.#name));
  }

  readEntity(key: EntityKey): EntityText | undefined | Refusal | Promise<EntityText | undefined | Refusal> {
    const readable = this.#parts.mender.readable;
    if (readable) return readable.then(() => this.readEntity(key));
    if (!this.find()) return { reason: 'table-missing', at: 0 };
    return this.#readStored(encodeEntityKey(this.#prefix, key));
  }

  async readPage(plan: QueryPlan, isGone?: () => boolean): Promise<Page | Refusal> {
    const { mender } = this.#parts;
    for (let readable = mender.readable; readable; readable = mender.readable) await readable;
    if (!this.find()) return { reason: 'table-missing', at: 0 };
    return readPage(this.#parts, this.#prefix, plan, isGone);
  }

  async commit(changes: readonly Change[]): Promise<readonly (EntityText | null)[] | Refusal> {
    const { clock, queue, dead } = this.#parts;
    if (queue.isTorn) await this.#parts.mender.mend();
    if (!this.#findPending()) return refuse(queue, 'table-missing');
    const outcome = judgeChanges(
      changes,
      () => clock.nextTimestamp(),
      (change) => encodeEntityKey(this.#prefix, change.key),
      (key) => this.#readAhead(key),
    );
    if (isRefusal(outcome)) return refuse(queue, outcome.reason, outcome.at);
    dead.note(this.#prefix, outcome.dead);
    await queue.add(outcome.judged);
    return outcome.judged.map(({ value }) => value);
  }

  readAccessPolicies(): readonly AccessPolicy[] | undefined {
    const table = this.#same(this.#parts.tables.find(this.#account, this.#name));
    return table && (table.policies ?? []);
  }

  async writeAccessPolicies(policies: readonly AccessPolicy[]): Promise<Refusal | undefined> {
    const { mender, queue, tables } = this.#parts;
    if (queue.isTorn) await mender.mend();
    const table = this.#findPending();
    if (!table) return refuse(queue, 'table-missing');
    const { records, written } = tables.put(this.#account, { ...table, policies });
    await queue.add(records, written);
    return undefined;
  }

  /** Returns the table as it will be when everything that waits is written. */
  #findPending(): TableRecord | undefined {
    return this.#same(this.#parts.tables.findPending(this.#account, this.#name));
  }

  /** Returns the table of the name if the handle stands for it. The first one found is the one. */
  #same(found: TableRecord | undefined): TableRecord | undefined {
    if (this.#id === undefined) {
      this.#id = found?.id ?? '';
      if (found) this.#prefix = entityPrefix(this.#account, found.id);
      return found;
    }
    return found?.id === this.#id ? found : undefined;
  }

  /** Returns an entity as it was last written. Asks the cache first, so that all reads agree. */
  #readStored(key: string): EntityText | undefined {
    const { engine, cache, queue } = this.#parts;
    const cached = cache.get(this.#prefix, key);
    if (cached !== undefined) return cached ?? undefined;
    const { view } = queue;
    // A thread hop costs more than the look-up, hence the synchronous read. Source: docs/benchmarks.md.
    return view ? engine.getSync(key, { snapshot: view.snapshot }) : engine.getSync(key);
  }

  /** Returns an entity as it will be when everything that waits is written. */
  #readAhead(key: string): EntityText | undefined {
    const pending = this.#parts.queue.pending(key);
    return pending ? (pending.value ?? undefined) : this.#readStored(key);
  }
}

/** Refuses an operation once everything is written that the refusal may rest on: the caller must be able to read it. */
export async function refuse(queue: CommitQueue, reason: Refusal['reason'], at = 0): Promise<Refusal> {
  await queue.settled();
  return { reason, at };
}
