import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describeError } from '../dialects/storage/describe-error.js';
import { operationRules } from '../dialects/storage/operation-rules.js';
import type { EntityText } from '../entity/stored/entity.js';
import { propertyReader } from '../entity/stored/read-property.js';
import { TableError } from '../protocol/errors.js';
import { compileFilter } from '../query/filter/evaluate-filter.js';
import { parseFilter } from '../query/filter/parse-filter.js';
import type { ListedTable } from '../state/contract.js';
import { concernsOf, type NamedTables } from '../state/named-states.js';
import { describeTarget } from '../state/reset.js';
import type { State } from '../state/state.js';
import { StateFault } from '../state/state-fault.js';
import type { KeptId } from '../store/snapshots.js';
import type { Store } from '../store/store.js';
import type { StoreView } from '../store/stored-parts.js';
import {
  type ExportWish,
  type ImportReport,
  type ImportWish,
  importModes,
  type TransferFormat,
  transferFormats,
} from './contract.js';
import { checkColumnMap } from './csv/csv-columns.js';
import { readCsv } from './csv/read-csv.js';
import { readCsvRecords } from './csv/read-csv-records.js';
import { writeCsv } from './csv/write-csv.js';
import { type ImportTarget, importItems } from './import/import-items.js';
import { reportedRowsMax } from './import/rejected-rows.js';
import { SeenKeys } from './import/seen-keys.js';
import type { TransferItems } from './import/transfer-item.js';
import { readJsonDocument } from './json/read-json-document.js';
import { readNdjson } from './json/read-ndjson.js';
import { type ExportForm, writeJson, writeNdjson } from './json/write-json.js';
import { decodeText, readLines } from './read-lines.js';
import type { ExportedPart } from './table-header.js';

/** A file or a stream to import. */
export interface ImportSource {
  readonly format: TransferFormat;
  /** Its name in the report. Absent: it has none. */
  readonly file?: string;
  /** The table of its rows if it names none. */
  readonly defaultTable?: string;
  /** Called once. */
  open(): AsyncIterable<Uint8Array>;
}

/** Imports data into the store of a server and exports it, for the control endpoints, the library and the start. */
export class Transfer {
  readonly #store: Store;
  readonly #state: State;
  readonly #rulesOf: ImportTarget['rulesOf'];

  /** `rulesOf` returns the rules of the service of an account; absent: those of storage accounts. */
  constructor(store: Store, state: State, rulesOf: ImportTarget['rulesOf'] = () => operationRules) {
    this.#store = store;
    this.#state = state;
    this.#rulesOf = rulesOf;
  }

  /**
   * Imports data. Reports the rows that the service would reject, and imports the others.
   *
   * Errors: StateFault for data that cannot be read; ImportRejected for a rejected row if the wish is strict; the store's.
   */
  async import(
    sources: readonly ImportSource[],
    wish: ImportWish = {},
    onProgress: (rows: number) => void = () => {},
  ): Promise<ImportReport> {
    if (wish.map !== undefined) checkColumnMap(wish.map);
    checkChoice('mode', wish.mode, importModes);
    for (const { format } of sources) checkChoice('format', format, transferFormats);
    const touched: TouchedTables = new Map();
    const target: ImportTarget = {
      store: this.#store,
      accountOf: (named) => this.#state.accountNames(named)[0] ?? '',
      onTable: (account, name) => {
        const tables = touched.get(account) ?? new Set();
        touched.set(account, tables.add(this.#store.nameKey(account, name)));
      },
      onProgress,
      rulesOf: this.#rulesOf,
      ...(wish.dryRun && { dryRunKeys: new SeenKeys() }),
    };
    const { account, table, mode = 'insert' } = wish;
    const named = { ...(account !== undefined && { account }), ...(table !== undefined && { table }) };
    const accounts = this.#state.accountNames(account);
    const strictTarget = { ...target, accountOf: servedBy(target, accounts) };
    const runAll = () =>
      wish.strict && !wish.dryRun
        ? this.#state.untilStopped((stopping) => {
            const whole = { store: this.#store, accounts, named, touched, report: this.#state.report };
            return importWhole(whole, () => importSources(untilAborted(sources, stopping), strictTarget, wish));
          })
        : importSources(sources, target, wish);
    const run = async () => {
      try {
        return await runAll();
      } finally {
        // A failed import has also written.
        if (!wish.dryRun) this.#state.tell({ kind: 'imported', account, table });
      }
    };
    if (wish.dryRun || mode === 'insert') return run();
    const what = `import into ${describeTarget(named)}`;
    return this.#state.undos.keep({ what, accounts, table, touched }, run);
  }

  /**
   * Exports a consistent view of the data. Errors: StateFault for an unknown account or table, for an invalid filter, and for
   * data that the format cannot hold. An error of the store ends the stream.
   */
  async export(wish: ExportWish): Promise<Readable> {
    const { format = 'ndjson', filter, select } = wish;
    checkChoice('format', format, transferFormats);
    const tables = await this.#tablesOf(wish);
    const accounts = new Set(tables.map(({ account }) => account));
    const { write, holds } = writers[format];
    if (holds !== undefined && (accounts.size > 1 || (holds === 'table' && tables.length > 1))) {
      const one = accounts.size > 1 ? 'account' : 'table';
      throw new StateFault('invalid', `${format.toUpperCase()} holds only one ${one}. Name the ${one}.`);
    }
    const name = wish.table ?? (holds === 'table' ? tables[0]?.name : undefined);
    const view = await this.#store.openView(
      (account, found) => accounts.has(account) && (name === undefined || this.#isNamed(account, found, name)),
    );
    try {
      const parts = exportedParts(view, filter);
      // Without a name, an import would put the tables into the first account.
      const [first] = this.#state.accountNames();
      const hasAccounts = wish.account === undefined && [...accounts].some((account) => account !== first);
      const text = await write(parts, { hasAccounts, select });
      const stream = Readable.from(text, { objectMode: false });
      // On `close`, not on `end`: a client may leave early.
      return stream.once('close', () => void view.close());
    } catch (error) {
      await view.close();
      throw error instanceof TableError ? new StateFault('invalid', describeError(error).message) : error;
    }
  }

  /** Returns the tables of an export. Errors: StateFault if the requested table does not exist. */
  async #tablesOf({ account, table }: ExportWish): Promise<readonly ListedTable[]> {
    const tables = await this.#state.listTables(account, false);
    if (table === undefined) return tables;
    const found = tables.filter(({ account, name }) => this.#isNamed(account, name, table));
    if (found.length === 0) throw new StateFault('missing', `There is no table ${table}.`);
    return found;
  }

  #isNamed(account: string, table: string, name: string): boolean {
    return this.#store.nameKey(account, table) === this.#store.nameKey(account, name);
  }
}

/** Checks a choice of an untyped program. Errors: StateFault. */
function checkChoice(name: string, choice: string | undefined, choices: readonly string[]): void {
  if (choice === undefined || choices.includes(choice)) return;
  throw new StateFault('invalid', `${name} cannot be '${choice}'. Use one of: ${choices.join(', ')}.`);
}

function untilAborted(sources: readonly ImportSource[], signal: AbortSignal): readonly ImportSource[] {
  return sources.map((source) => ({ ...source, open: () => readUntilAborted(source.open(), signal) }));
}

/** Imports one source after the other, and returns one report. */
async function importSources(
  sources: readonly ImportSource[],
  target: ImportTarget,
  wish: ImportWish,
): Promise<ImportReport> {
  let all: ImportReport = { rows: 0, tables: 0, rejectedRows: 0, rejected: [], ms: 0 };
  for (const { file, format, defaultTable, open } of sources) {
    const items = readItems(open(), format, wish);
    const before = all.rows;
    const report = await importItems(
      items,
      { ...target, onProgress: (rows) => target.onProgress?.(before + rows) },
      { ...(defaultTable !== undefined && { defaultTable }), ...wish },
    );
    all = addReports(all, file === undefined ? report : withFile(report, file));
  }
  const keysNotKept = target.dryRunKeys?.notKept ?? 0;
  return { ...all, ...(keysNotKept > 0 && { keysNotKept }) };
}

function addReports(one: ImportReport, other: ImportReport): ImportReport {
  const inferred = { ...one.inferred, ...other.inferred };
  return {
    rows: one.rows + other.rows,
    tables: one.tables + other.tables,
    rejectedRows: one.rejectedRows + other.rejectedRows,
    rejected: [...one.rejected, ...other.rejected].slice(0, reportedRowsMax),
    ...(Object.keys(inferred).length > 0 && { inferred }),
    ms: one.ms + other.ms,
  };
}

function withFile(report: ImportReport, file: string): ImportReport {
  return { ...report, rejected: report.rejected.map((row) => ({ file, ...row })) };
}

/** Limits a strict import to the accounts that it can restore. Errors: StateFault for a branch that it does not name. */
function servedBy(target: ImportTarget, accounts: readonly string[]): ImportTarget['accountOf'] {
  return (named) => {
    const account = target.accountOf(named);
    if (accounts.includes(account)) return account;
    throw new StateFault('invalid', `A strict import into the branch ${account} needs it as its account.`);
  };
}

interface Writer {
  /** The most that the format can hold; absent: everything. */
  readonly holds?: 'account' | 'table';
  /** Returns the text. `read` may be called more than once. Errors: StateFault for data that the format cannot hold. */
  write(
    read: () => AsyncIterable<ExportedPart>,
    form: ExportForm,
  ): AsyncIterable<string> | Promise<AsyncIterable<string>>;
}

const writers: Readonly<Record<TransferFormat, Writer>> = {
  ndjson: { write: (read, form) => writeNdjson(read(), form) },
  json: { holds: 'account', write: (read, form) => writeJson(read(), form) },
  csv: { holds: 'table', write: writeCsv },
};

/** Reads a file of any format. Errors: StateFault for one that cannot be read at all. */
export function readItems(bytes: AsyncIterable<Uint8Array>, format: TransferFormat, wish: ImportWish): TransferItems {
  const texts = decodeText(bytes);
  if (format === 'csv') return readCsv(readCsvRecords(texts), wish);
  return format === 'json' ? readJsonDocument(texts) : readNdjson(readLines(texts));
}

/** Yields the parts of a source. Fails with the reason of a signal when it is aborted, even if the source never continues. */
export async function* readUntilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  let abort = () => {};
  const aborted = () => abort();
  signal.addEventListener('abort', aborted);
  const parts = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      // A promise for each part: one for all parts would keep them all in memory.
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        abort = () => reject(signal.reason);
        parts.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', aborted);
    // Not awaited: a stalled source does not return.
    parts.return?.().catch(() => {});
  }
}

/** The tables that an import has changed, by account and the form in which names are compared. */
type TouchedTables = Map<string, Set<string>>;

interface WholeImport {
  readonly store: Store;
  /** The accounts that it may change. */
  readonly accounts: readonly string[];
  /** The tables that it may change. */
  readonly named: NamedTables;
  /** Emptied when everything was undone. */
  readonly touched: TouchedTables;
  /** Reports snapshots that could not be removed. */
  readonly report: (error: unknown) => void;
}

/**
 * Imports everything or nothing: if `run` fails, its changed tables are restored, without the writes of others meanwhile.
 * Errors: those of `run`; the store's, if they could not be restored.
 */
async function importWhole<T>(whole: WholeImport, run: () => Promise<T>): Promise<T> {
  const { store, accounts, named, touched, report } = whole;
  const { snapshots } = store;
  const kept: KeptId = { kind: 'import', id: randomBytes(8).toString('hex') };
  try {
    await snapshots.kept.begin(kept, accounts, concernsOf(named, store));
    return await run();
  } catch (error) {
    const concerns = concernsOf({ names: [...touched].map(([account, keys]) => [account, [...keys]]) }, store);
    const moves = accounts.map((name) => ({ from: name, to: name, ...(concerns && { concerns }) }));
    if (touched.size > 0) await snapshots.exchange({ restored: { snapshot: kept, accounts: moves } });
    touched.clear();
    throw error;
  } finally {
    await snapshots.kept.drop(kept).catch(report);
  }
}

/** Returns the tables of a view, with the entities that match a `$filter`. Errors: TableError for an invalid filter. */
function exportedParts(view: StoreView, filter: string | undefined): () => AsyncIterable<ExportedPart> {
  const parsed = filter === undefined ? undefined : parseFilter(filter);
  const test = parsed && compileFilter<EntityText>(parsed, propertyReader);
  return async function* () {
    for await (const part of view.read()) {
      if (part.kind === 'table') yield part;
      if (part.kind === 'entities') yield test ? { kind: 'entities', texts: part.texts.filter(test) } : part;
    }
  };
}
