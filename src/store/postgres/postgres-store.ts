import { randomBytes } from 'node:crypto';
import type { QueryResult } from 'pg';
import type { ServiceProperties } from '../../protocol/service-properties.js';
import { type ServiceTraits, storageTraits } from '../../protocol/service-traits.js';
import { AccountServices, checkService } from '../account-services.js';
import { type CommitListener, CommitListeners, type ListenerTexts, type TableListener } from '../commit-listeners.js';
import type { Measurement, Rejection, Store, Table } from '../store.js';
import { WritesObstructed } from '../store-unavailable.js';
import { Connection, type ConnectionCounts, newConnectionCounts } from './connection/connection.js';
import type { DatabaseConfig } from './connection/database-address.js';
import { isDiskFull, isLockTimeout, notDone } from './connection/failures.js';
import { type PostgresParts, PostgresTable } from './postgres-table.js';
import { LookUps } from './read/look-ups.js';
import { again, Readers } from './read/readers.js';
import { Scans } from './read/scans.js';
import { isStorableName } from './schema/keys.js';
import { createdOf } from './schema/stamps.js';
import { createTable, dropTable, findService, listTables, writeSettings } from './schema/statements.js';
import { Sweeper } from './schema/sweeper.js';
import { PostgresSnapshots } from './snapshots/postgres-snapshots.js';
import { CommitLane, type LaneCounts } from './write/commit-lane.js';
import { DirectoryWriter } from './write/directory-writer.js';
import { type CommitResult, GroupWriter } from './write/group-writer.js';
import { KnownTables } from './write/guess-state.js';
import type { CommitRequest } from './write/judge-group.js';
import { OrderOfArrival } from './write/order-of-arrival.js';
import { ReceiptWriter, type WriterCounts } from './write/receipt-writer.js';
import { Transactions } from './write/transactions.js';

/** Represents the settings of an account among its table names, which have no spaces. */
const settings = 'account settings';

/** The numbers of connections, each opened on demand. */
export interface ConnectionPlan {
  /** For writes of entities. */
  readonly lanes: number;
  readonly readers: number;
  readonly scans: number;
}

/** The maximum number of concurrent snapshots, restores and branches. Each needs a connection. */
const transactionsMax = 2;

/**
 * The time that a group waits for a row that another session has locked, before it continues without it. (Our choice: longer than rivals
 * need to commit, even to a slow standby.)
 */
const groupLockTimeout = '300ms';

/** A store on PostgreSQL. It keeps no state that can be stale, so any number of servers can use one database. */
export class PostgresStore implements Store {
  readonly #parts: PostgresParts;
  readonly #lanes: readonly CommitLane[];
  readonly #writing: readonly Connection[];
  readonly #readers: Readers;
  readonly #scans: Scans;
  readonly #health: Health;
  readonly #sweeper: Sweeper;
  readonly #transactions: Transactions;
  readonly snapshots: PostgresSnapshots;
  readonly #tables = new KnownTables();
  readonly #services = new AccountServices();
  readonly #listeners: CommitListeners;
  readonly #counts = newCounts();
  /** Creation time of the last table that this server created. */
  #lastCreated = '0';

  /** Long-running, on a connection of its own, like `alone`. */
  readonly openView: Store['openView'];
  readonly alone: NonNullable<Store['alone']>;

  constructor(
    config: DatabaseConfig,
    { lanes, readers, scans }: ConnectionPlan,
    report: (error: unknown) => void,
    { openView, alone, freeze }: Pick<PostgresStore, 'openView' | 'alone'> & Pick<PostgresSnapshots, 'freeze'>,
  ) {
    this.openView = openView;
    this.alone = alone;
    const counts = this.#counts;
    const tables = this.#tables;
    const services = this.#services;
    const listeners = new CommitListeners(report);
    this.#listeners = listeners;
    this.#writing = Array.from(
      { length: lanes + 1 },
      (_, at) => new Connection(at === 0 ? config : { ...config, lockTimeout: groupLockTimeout }, counts),
    );
    const [forDirectory, ...forLanes] = this.#writing as [Connection, ...Connection[]];
    const shared = { tables, services, listeners, stamps: { last: 0n } };
    this.#lanes = forLanes.map((connection) => {
      const writer = new ReceiptWriter(connection, counts);
      return new CommitLane(new GroupWriter(connection, writer, shared), counts);
    });
    this.#readers = new Readers(config, readers, counts);
    this.#scans = new Scans(config, scans, counts);
    this.#health = new Health(config, counts);
    this.#sweeper = new Sweeper(config, counts, report);
    const order = new OrderOfArrival();
    const directory = new DirectoryWriter(new ReceiptWriter(forDirectory, counts));
    this.#transactions = new Transactions(config, transactionsMax, counts);
    this.snapshots = new PostgresSnapshots({
      readers: this.#readers,
      order,
      directory,
      transactions: this.#transactions,
      services,
      freeze,
      onDropped: () => this.#sweeper.wake(),
    });
    this.#parts = {
      lookUps: new LookUps(this.#readers, (account) => this.snapshots.noteEnded(account)),
      scans: this.#scans,
      order,
      directory,
      commit: (commit) => this.#commit(commit),
    };
    this.#sweeper.start();
  }

  async openAccount(account: string, traits: ServiceTraits): Promise<void> {
    const { rows } = await this.#readers.run(findService, [account]);
    const { service, used } = rows[0] as { service: string | null; used: boolean };
    checkService(account, service ?? (used ? storageTraits.service : undefined), traits.service);
    this.#services.open(account, traits);
  }

  createTable(account: string, name: string): Promise<Table | Rejection> {
    const key = this.#services.nameKey(account, name);
    const { service, rowOrder } = this.#services.traitsOf(account);
    const { service: kept = null, exactNames = null } = this.#services.recordOf(account) ?? {};
    const { order, directory } = this.#parts;
    return order.run({ account, name: key, alone: true }, async () => {
      const lowest = String(BigInt(this.#lastCreated) + 1n);
      const rows = rowOrder === 'key' ? null : rowOrder;
      const [id, created] = await directory.write(createTable, [account, key, name, lowest, rows, kept, exactNames]);
      if (id !== undefined && created === undefined) checkService(account, id, service);
      if (id === undefined || created === undefined) return { reason: 'table-exists', at: 0 };
      this.#tables.learn(`${account}/${key}`, { id, name });
      if (BigInt(created) > BigInt(this.#lastCreated)) this.#lastCreated = created;
      this.#listeners.notifyOfTable({ kind: 'created', account, table: name });
      return { name, created: createdOf(created) };
    });
  }

  async deleteTable(account: string, name: string): Promise<Table | Rejection> {
    const key = this.#services.nameKey(account, name);
    const { order, directory } = this.#parts;
    if (!isStorableName(name)) return { reason: 'table-missing', at: 0 };
    return order.run({ account, name: key, alone: true }, async () => {
      const [was, created] = await directory.write(dropTable, [account, key]);
      this.#tables.learn(`${account}/${key}`, undefined);
      if (was === undefined || created === undefined) return { reason: 'table-missing', at: 0 };
      this.#sweeper.wake();
      this.#listeners.notifyOfTable({ kind: 'deleted', account, table: was });
      return { name: was, created: createdOf(created) };
    });
  }

  nameKey(account: string, name: string): string {
    return this.#services.nameKey(account, name);
  }

  openTable(account: string, name: string): PostgresTable {
    return new PostgresTable(
      this.#parts,
      { account, name: this.#services.nameKey(account, name) },
      {
        isStorable: isStorableName(name),
        traits: this.#services.traitsOf(account),
      },
    );
  }

  async listTables(account: string): Promise<readonly Table[]> {
    const { rows } = await this.#readers.run(listTables, [account]);
    const tables = (rows as { name: string; created: string }[]).map(({ name, created }) => ({
      key: this.#services.nameKey(account, name),
      table: { name, created: createdOf(created) },
    }));
    return tables.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ table }) => table);
  }

  readServiceProperties(account: string): Promise<ServiceProperties> {
    return this.#parts.lookUps.readSettings(account);
  }

  async writeServiceProperties(account: string, changed: Partial<ServiceProperties>): Promise<void> {
    const { order, directory } = this.#parts;
    const names = Object.keys(changed);
    const values = [account, names, Object.values(changed).map((value) => JSON.stringify(value))];
    await order.run({ account, name: settings, alone: true }, () => directory.write(writeSettings, values));
  }

  async reset(account: string): Promise<void> {
    await this.snapshots.exchange({ reset: [account] });
  }

  onCommit(listener: CommitListener, texts?: ListenerTexts): () => void {
    return this.#listeners.add(listener, texts);
  }

  onTable(listener: TableListener): void {
    this.#listeners.addForTables(listener);
  }

  answers(): Promise<boolean> {
    return this.#health.answers();
  }

  checkWrites(): Promise<void> {
    return this.#health.checkWrites();
  }

  swept(): Promise<void> {
    return this.#sweeper.settled();
  }

  measure(): readonly Measurement[] {
    return measurements(
      this.#counts,
      this.#lanes.reduce((sum, { waiting }) => sum + waiting, 0),
    );
  }

  get clockAheadMs(): number {
    return this.#counts.clockAheadMs;
  }

  get cacheBytes(): number {
    return 0;
  }

  async close(): Promise<void> {
    await this.#transactions.end();
    await this.#sweeper.stop();
    await Promise.all([...this.#lanes, this.#parts.directory].map((one) => one.drain()));
    await Promise.all([...this.#writing, this.#readers, this.#scans, this.#health].map((one) => one.end()));
  }

  #commit(commit: CommitRequest): Promise<CommitResult> {
    const { account, name, changes } = commit;
    const [first] = changes;
    const partition = first?.key.partitionKey ?? '';
    // Only tests write several partitions at once. Such a commit runs alone, because a lane orders only its own partitions.
    const alone = changes.some(({ key }) => key.partitionKey !== partition);
    const count = this.#lanes.length;
    const lane = this.#lanes[count === 1 ? 0 : hash(`${account}/${name}/${partition}`) % count] as CommitLane;
    return this.#parts.order.run({ account, name, alone }, () => lane.commit(commit));
  }
}

/** Returns the FNV-1a hash of a string. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16_777_619);
  return value >>> 0;
}

type StoreCounts = ConnectionCounts & WriterCounts & LaneCounts;

function newCounts(): StoreCounts {
  return {
    ...newConnectionCounts(),
    successes: 0,
    failures: 0,
    conflicts: 0,
    groups: 0,
    commits: 0,
    waitedMs: 0,
  };
}

/** Returns the measurements of a store. `waiting` is the number of waiting changes. */
function measurements(counts: StoreCounts, waiting: number): readonly Measurement[] {
  const counter = (name: string, help: string, value: number): Measurement => ({ name, help, kind: 'counter', value });
  return [
    counter('groups_total', 'Groups of commits that were written or rejected together', counts.groups),
    counter('commits_total', 'Commits in these groups', counts.commits),
    counter('commit_wait_seconds_total', 'How long commits waited for their group', counts.waitedMs / 1000),
    counter('conflicts_total', 'Groups that were judged again because another server was first', counts.conflicts),
    counter(
      'lost_writes_made_total',
      'Writes whose connection was lost, and whose receipt says they were made',
      counts.successes,
    ),
    counter('lost_writes_not_made_total', 'Writes whose connection was lost before they were made', counts.failures),
    counter('connections_opened_total', 'Connections to the database that were opened', counts.opened),
    counter('connections_lost_total', 'Connections to the database that were lost', counts.lost),
    { name: 'changes_waiting', help: 'Changes that wait for their group', kind: 'gauge', value: waiting },
  ];
}

/** The time limit of a check. Unit: milliseconds. */
const healthMs = 2000;

const askWhetherReadOnly =
  "SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only')::bool AS read_only";

/** Takes the locks of entity writes, in one transaction, without a change. */
const takeLocks = `SET LOCAL lock_timeout = '1s';
LOCK TABLE tables IN ROW SHARE MODE;
LOCK TABLE entities, writers IN ROW EXCLUSIVE MODE`;

/** Size of a test row that needs new space. Unit: bytes. (Our choice: more than the free space in pages of tables.) */
const fillBytes = 256 * 1024;

/** Checks the database, on a connection without requests. */
class Health {
  readonly #connection: Connection;
  readonly #counts: ConnectionCounts;
  #checking: Promise<void> | undefined;

  constructor(config: DatabaseConfig, counts: ConnectionCounts) {
    this.#connection = new Connection(config, counts);
    this.#counts = counts;
  }

  /** Whether the database answers. Errors: StoreUnavailable. */
  async answers(): Promise<boolean> {
    return (await this.#ask('SELECT 1')).rowCount === 1;
  }

  /** Checks that writes can succeed. Concurrent calls share one check. Errors: StoreUnavailable. */
  checkWrites(): Promise<void> {
    this.#checking ??= this.#checkWrites().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  end(): Promise<void> {
    return this.#connection.end();
  }

  async #checkWrites(): Promise<void> {
    const { rows } = await this.#ask(askWhetherReadOnly);
    if (rows[0].standby === true) this.#connection.doubt();
    if (rows[0].standby === true || rows[0].read_only === true) throw notDone(new Error('it takes no writes'));
    await this.#ask(takeLocks);
    if (this.#counts.isDiskFull) await this.#tryToFill();
    if (this.#counts.waiting.size === 0) return;
    // Otherwise a server that gets no requests because of this answer would never recover.
    for (const one of this.#counts.waiting) void one.open(performance.now()).catch(() => {});
    throw new WritesObstructed(
      'too-few-connections',
      'The database gives this server fewer connections than it needs.',
    );
  }

  /** Checks for space with a row that nobody sees. Errors: WritesObstructed; StoreUnavailable. */
  async #tryToFill(): Promise<void> {
    const text = randomBytes(fillBytes / 2).toString('hex');
    // The two statements form one transaction.
    await this.#ask(
      `INSERT INTO writers (id, seq, answer, seen) VALUES (-1, 0, '${text}', now()); DELETE FROM writers WHERE id = -1`,
    );
    this.#counts.isDiskFull = false;
  }

  #ask(text: string): Promise<QueryResult> {
    return again(this.#connection, performance.now() + healthMs, (client, endsAt) =>
      this.#connection.within(client, endsAt, client.query(text)).catch((error: unknown) => {
        if (isLockTimeout(error)) {
          throw new WritesObstructed(
            'tables-locked',
            'Another session of the database holds a lock on the tables.',
            error,
          );
        }
        if (isDiskFull(error)) throw new WritesObstructed('disk-full', 'The disk of the database is full.', error);
        throw error;
      }),
    );
  }
}
