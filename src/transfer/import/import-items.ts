import type { Change } from '../../entity/stored/change.js';
import { entityBytes } from '../../entity/stored/entity-size.js';
import type { OperationRules } from '../../operations/operation-rules.js';
import { errorOfMissingKeys, errorOfRejection } from '../../operations/rejections.js';
import { prepareInsert } from '../../operations/write-entities.js';
import { TableError } from '../../protocol/errors.js';
import type { EdmType } from '../../protocol/values/edm.js';
import { StateFault } from '../../state/state-fault.js';
import { EventLoopTurn } from '../../store/event-loop-turn.js';
import { judgeChanges } from '../../store/judge-changes.js';
import { isRejection, type Rejection, type TableHandle, type TableStore } from '../../store/store.js';
import type { ImportReport, ImportWish } from '../contract.js';
import { RejectedRows } from './rejected-rows.js';
import type { SeenKeys } from './seen-keys.js';
import type { TransferItem, TransferItems } from './transfer-item.js';

/** The destination of an import. */
export interface ImportTarget {
  readonly store: Pick<TableStore, 'createTable' | 'openTable' | 'nameKey'>;
  /** Returns the target account for the data of an account. Errors: StateFault if it does not exist. */
  accountOf(named: string | undefined): string;
  /** Returns the rules of an account's service. */
  rulesOf(account: string): Pick<OperationRules, 'checkTableName' | 'hasEmptyKeys'>;
  /** Called after each transaction with the number of imported entities. */
  onProgress?(rows: number): void;
  /** The keys of the rows that a dry run has checked, including earlier files. */
  readonly dryRunKeys?: SeenKeys;
  /** Called with each table before its first change. */
  onTable?(account: string, name: string): void;
}

type EntityItem = Extract<TransferItem, { readonly kind: 'entity' }>;

interface OpenTable {
  readonly account: string;
  readonly name: string;
  readonly handle: TableHandle;
  readonly id: string;
  /** Why the table, and with it each row, is rejected. */
  readonly fault?: TableError;
}

/**
 * Imports items in order, in transactions of bounded size, and checks each row as the service checks a request. A rejected row
 * does not affect the others.
 *
 * Errors: StateFault for data that names no table, or an account that does not exist; ImportRejected; the store's.
 */
export async function importItems(items: TransferItems, target: ImportTarget, wish: ImportWish): Promise<ImportReport> {
  const started = performance.now();
  const importer = new Importer(target, wish);
  await importer.begin();
  // Rows may never wait for anything, and requests take precedence.
  const turn = new EventLoopTurn();
  let done = 0;
  for await (const part of items) {
    for (const item of part) {
      if (!importer.tryTake(item)) await importer.take(item);
      if (++done < turn.rows) continue;
      if (turn.isOver(done)) await turn.next();
      done = 0;
    }
  }
  await importer.end();
  return { ...importer.report(), ms: Math.round(performance.now() - started) };
}

class Importer {
  readonly #target: ImportTarget;
  readonly #wish: ImportWish;
  readonly #rejected: RejectedRows;
  readonly #tables = new Set<string>();
  readonly #inferred = new Map<string, ReadonlyMap<string, EdmType>>();
  #table: OpenTable | undefined;
  /** Whether the name of the table could not be read. */
  #isLost = false;
  readonly #group = new RowGroup();
  #imported = 0;
  /** The name of the table in the data, if all of it goes into another one. */
  #renamed: string | undefined;

  constructor(target: ImportTarget, wish: ImportWish) {
    this.#target = target;
    this.#wish = wish;
    this.#rejected = new RejectedRows(wish.strict ?? false);
  }

  async begin(): Promise<void> {
    const { table } = this.#wish;
    if (table === undefined) return;
    await this.#open({ kind: 'table', line: 1, name: table });
    // The data may have its own name.
    this.#renamed = undefined;
  }

  /** Takes an item without waiting. Returns false if it needs `take`. */
  tryTake(item: TransferItem): boolean {
    if (item.kind !== 'entity' || !this.#table) return false;
    const row = this.#prepare(item, this.#table);
    return !row || this.#group.add(row);
  }

  /** Takes an item, after any table or transaction that it waits for. */
  async take(item: TransferItem): Promise<void> {
    switch (item.kind) {
      case 'table':
        await this.#flush();
        await this.#open(item);
        return;
      case 'unreadable':
        this.#rejected.add({ item, table: this.#table?.name }, item.error);
        if (item.isTable) await this.#leaveTable();
        return;
      case 'inferred':
        this.#inferred.set(this.#table?.name ?? '', item.types);
        return;
      case 'unnamed':
        if (!this.#table) await this.#openDefault(item.line);
        return;
      case 'entity':
        if (this.#isLost) return this.#rejected.add({ item }, new TableError('TableNotFound'));
        if (!this.#table) await this.#openDefault(item.line);
        await this.#flush();
        this.tryTake(item);
    }
  }

  async end(): Promise<void> {
    await this.#flush();
  }

  async #openDefault(line: number): Promise<void> {
    const { defaultTable: name } = this.#wish;
    if (name === undefined) {
      throw new StateFault(
        'invalid',
        `Line ${line} does not belong to a table, because no earlier line names one. Name the table with --table (in a program: table).`,
      );
    }
    await this.#open({ kind: 'table', line, name });
  }

  /** Rejects the rows up to the next table: they belong neither to the previous nor to the default one. */
  async #leaveTable(): Promise<void> {
    if (this.#wish.table !== undefined) return;
    await this.#flush();
    this.#table = undefined;
    this.#isLost = true;
  }

  report(): Omit<ImportReport, 'ms'> {
    const { first, count } = this.#rejected;
    const inferred = [...this.#inferred].map(([table, types]) => [table, Object.fromEntries(types)] as const);
    return {
      rows: this.#imported,
      tables: this.#tables.size,
      rejectedRows: count,
      rejected: first.toSorted((a, b) => a.line - b.line),
      ...(inferred.length > 0 && { inferred: Object.fromEntries(inferred) }),
    };
  }

  /** Reads a row and performs the checks that need no table. Records a rejection. */
  #prepare(item: EntityItem, { account, name: table, fault }: OpenTable): PreparedRow | undefined {
    try {
      if (fault) throw fault;
      const change = prepareInsert(item.read());
      if (change.kind === 'keys-missing') throw errorOfMissingKeys(change);
      const { partitionKey, rowKey } = change.key;
      if ((partitionKey === '' || rowKey === '') && !this.#target.rulesOf(account).hasEmptyKeys) {
        throw errorOfMissingKeys({ keys: [partitionKey === '' ? 'PartitionKey' : 'RowKey'], sent: [] });
      }
      const { mode = 'insert' } = this.#wish;
      return { item, change: mode === 'insert' ? change : { ...change, kind: mode, ifMatch: undefined } };
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      this.#rejected.add({ item, table }, error);
      return undefined;
    }
  }

  async #open(item: Extract<TransferItem, { readonly kind: 'table' }>): Promise<void> {
    const { store, accountOf, rulesOf, onTable } = this.#target;
    const { table: only, dryRun: isDry, account: wanted } = this.#wish;
    const account = accountOf(wanted ?? item.account);
    const name = only ?? item.name;
    this.#renamed ??= item.name;
    if (only !== undefined && this.#renamed !== item.name) {
      const hint = 'Only a single table can be renamed. Import without a table name.';
      throw new StateFault('invalid', `Line ${item.line} names a second table. ${hint}`);
    }
    const handle = store.openTable(account, name);
    const id = `${account}/${store.nameKey(account, name)}`;
    this.#table = { account, name, handle, id };
    this.#isLost = false;
    try {
      rulesOf(account).checkTableName(name);
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      this.#table = { ...this.#table, fault: error };
      return this.#rejected.add({ item, table: name }, error);
    }
    this.#tables.add(id);
    onTable?.(account, name);
    if (isDry) return;
    await store.createTable(account, name);
    const { policies } = item;
    const isKept = this.#wish.mode !== 'replace' && ((await handle.readAccessPolicies()) ?? []).length > 0;
    if (!policies || isKept) return;
    await handle.writeAccessPolicies(policies);
  }

  async #flush(): Promise<void> {
    const rows = this.#group.takeAll();
    const table = this.#table;
    if (rows.length === 0 || !table) return;
    const make = this.#wish.dryRun ? judgeRows : commitRows;
    const rejections = await make(
      table.handle,
      rows.map(({ change }) => change),
    );
    for (const [at, rejection] of rejections.entries()) {
      const { item, change } = rows[at] as PreparedRow;
      const why = rejection ?? this.#rejectionOfSecond(table, change);
      if (why) {
        const error = errorOfRejection(why, { table: table.name, traits: table.handle.traits, change });
        this.#rejected.add({ item, table: table.name }, error);
      } else this.#imported++;
    }
    this.#target.onProgress?.(this.#imported);
  }

  /** Returns why a dry run rejects the second row of an entity: an import would find the first one. */
  #rejectionOfSecond({ id }: OpenTable, { kind, key }: PreparedRow['change']): Rejection | undefined {
    const isSecond = kind === 'insert' && this.#target.dryRunKeys?.add(id, key);
    return isSecond ? { reason: 'entity-exists', at: 0 } : undefined;
  }
}

/** Number of entities in one transaction, and their size. (Our choice: other writes wait little.) Unit: bytes. */
const groupMax = { rows: 500, bytes: 4 * 1024 * 1024 } as const;

interface PreparedRow {
  readonly item: Extract<TransferItem, { readonly kind: 'entity' }>;
  readonly change: Exclude<Change, { readonly kind: 'delete' }>;
}

/** The rows of one transaction: few, small, and each of another entity. */
class RowGroup {
  #rows: PreparedRow[] = [];
  #keys = new Set<string>();
  #bytes = 0;

  /** Adds a row. Returns false if it has to wait for the next transaction. */
  add(row: PreparedRow): boolean {
    const { key, properties } = row.change;
    // The text of the whole row is kept, too.
    const bytes = Math.max(entityBytes(key, properties), row.item.units);
    const text = `${key.partitionKey}\0${key.rowKey}`;
    const isFull =
      this.#rows.length === groupMax.rows || (this.#rows.length > 0 && this.#bytes + bytes > groupMax.bytes);
    if (isFull || this.#keys.has(text)) return false;
    this.#rows.push(row);
    this.#keys.add(text);
    this.#bytes += bytes;
    return true;
  }

  /** Returns the rows, and begins the next transaction. */
  takeAll(): readonly PreparedRow[] {
    const rows = this.#rows;
    this.#rows = [];
    // Not cleared: a cleared V8 table refers to the next one, so all keys would stay until the old generation is collected.
    this.#keys = new Set();
    this.#bytes = 0;
    return rows;
  }
}

/** Applies or checks changes in order. Returns the rejection of each, or undefined. */
type CommitRows = (handle: TableHandle, changes: readonly Change[]) => Promise<readonly (Rejection | undefined)[]>;

/** Applies changes of different entities in one transaction, or each in its own if one is rejected. */
const commitRows: CommitRows = async (handle, changes) => {
  const outcome = await handle.commit(changes);
  if (!isRejection(outcome)) return changes.map(() => undefined);
  // Engines write transactions that arrive together as a group.
  return Promise.all(
    changes.map(async (change) => {
      const alone = await handle.commit([change]);
      return isRejection(alone) ? alone : undefined;
    }),
  );
};

/** Checks changes against the stored entities and applies none. A missing table counts as empty. */
const judgeRows: CommitRows = async (handle, changes) =>
  Promise.all(
    changes.map(async (change) => {
      const read = await handle.readEntity(change.key);
      const existing = isRejection(read) ? undefined : read;
      const judged = judgeChanges(
        [change],
        handle.traits,
        () => anyTimestamp,
        () => '',
        () => existing,
      );
      return isRejection(judged) ? judged : undefined;
    }),
  );

/** A placeholder for the Timestamp of an unapplied change. */
const anyTimestamp = new Date(0).toISOString();
