import type { Change } from '../../entity/stored/change.js';
import type { EntityKey, EntityText } from '../../entity/stored/entity.js';
import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { ServiceTraits } from '../../protocol/service-traits.js';
import type { QueryPlan } from '../../query/plan/plan.js';
import type { Writer } from '../commit-listeners.js';
import type { Page, Rejection, Table, TableHandle } from '../store.js';
import type { LookUps, TableName, TableRow } from './read/look-ups.js';
import { readOrdinalPage } from './read/read-ordinal-page.js';
import { readPage } from './read/read-page.js';
import type { Scans } from './read/scans.js';
import { writePolicies } from './schema/statements.js';
import type { DirectoryWriter } from './write/directory-writer.js';
import type { CommitResult } from './write/group-writer.js';
import type { CommitRequest } from './write/judge-group.js';
import type { OrderOfArrival } from './write/order-of-arrival.js';

/** The parts of an open store that its tables use. */
export interface PostgresParts {
  readonly lookUps: LookUps;
  readonly scans: Scans;
  readonly order: OrderOfArrival;
  readonly directory: DirectoryWriter;
  /** Commits changes in order of arrival. */
  commit(commit: CommitRequest): Promise<CommitResult>;
}

const tableMissing: Rejection = { reason: 'table-missing', at: 0 };

/** The id of a table, or null if it is missing; undefined before the first operation of a handle. */
type Resolved = string | null | undefined;

/** The state of a handle that needs no database. */
interface OpenedName {
  /** Whether the name is valid for a table. */
  readonly isStorable: boolean;
  readonly traits: ServiceTraits;
}

/** A table in the database. Every statement resolves the name, without an extra round trip; later operations compare the id. */
export class PostgresTable implements TableHandle {
  readonly #parts: PostgresParts;
  readonly #name: TableName;
  readonly traits: ServiceTraits;
  #id: Resolved;
  /** The first operation, while it runs: the others must use the same table. */
  #first: Promise<unknown> | undefined;

  constructor(parts: PostgresParts, name: TableName, { isStorable, traits }: OpenedName) {
    this.#parts = parts;
    this.#name = name;
    this.traits = traits;
    if (!isStorable) this.#id = null;
  }

  async find(): Promise<Table | undefined> {
    const found = await this.#findTable();
    return found && { name: found.name, created: found.created };
  }

  async readEntity(key: EntityKey): Promise<EntityText | undefined | Rejection> {
    const found = await this.#resolve(() => this.#parts.lookUps.readEntity(this.#name, key));
    return found ? found.text : tableMissing;
  }

  async readPage(plan: QueryPlan, isGone?: () => boolean): Promise<Page | Rejection> {
    const isByOrdinal = this.traits.rowOrder === 'insertion' && plan.order !== 'key';
    const read = isByOrdinal ? readOrdinalPage : readPage;
    const found = await this.#resolve(() => this.#parts.scans.readPage(read, { table: this.#name, plan, isGone }));
    return found ? found.page : tableMissing;
  }

  async commit(changes: readonly Change[], writer?: Writer): Promise<readonly (EntityText | null)[] | Rejection> {
    const { account, name } = this.#name;
    const found = await this.#resolve((id) => this.#parts.commit({ account, name, id, changes, writer }));
    return found ? found.outcome : tableMissing;
  }

  async readAccessPolicies(): Promise<readonly AccessPolicy[] | undefined> {
    return (await this.#findTable())?.policies;
  }

  async writeAccessPolicies(policies: readonly AccessPolicy[]): Promise<Rejection | undefined> {
    const { account, name } = this.#name;
    const { order, directory } = this.#parts;
    const found = await this.#resolve(async (id) => {
      const values = [account, name, id ?? null, JSON.stringify(policies)];
      const [written = null] = await order.run({ ...this.#name, alone: true }, () =>
        directory.write(writePolicies, values),
      );
      return { id: written };
    });
    return found ? undefined : tableMissing;
  }

  async #findTable(): Promise<TableRow | undefined> {
    const { lookUps } = this.#parts;
    const found = await this.#resolve(async () => (await lookUps.readTable(this.#name)) ?? { id: null });
    return found && 'name' in found ? found : undefined;
  }

  /** Runs an operation that returns the id of its table. Returns undefined if the table is missing, or is not the handle's. */
  async #resolve<T extends { readonly id: string | null }>(
    operate: (id: Resolved) => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#id === undefined && this.#first) await this.#first.catch(() => {});
    if (this.#id === null) return undefined;
    const running = operate(this.#id);
    if (this.#id === undefined) this.#first = running;
    const found = await running;
    if (this.#id === undefined) this.#id = found.id;
    return found.id !== null && found.id === this.#id ? found : undefined;
  }
}
