import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AbstractSnapshot } from 'abstract-level';
import type { ServiceProperties } from '../../../protocol/service-properties.js';
import type { AccountRecord } from '../../account-services.js';
import {
  compareOrdinal,
  partMax,
  type StoredPart,
  type StoreReader,
  type TableSelection,
} from '../../copy/stored-parts.js';
import { StoreError } from '../../store-error.js';
import { explainShadowFailure, makeShadowFolder } from '../check/shadow-folder.js';
import { checkRecords } from '../directories/check-records.js';
import type { TableRecord } from '../directories/table-directory.js';
import type { Engine } from '../engine/engine.js';
import {
  clockKey,
  decodeRecordKey,
  encodeRange,
  entityPrefix,
  keyOfText,
  kindRange,
  type StoredRange,
} from '../engine/key-encoding.js';
import { makeEngine } from '../engine/make-engine.js';
import { checkFormat } from '../format-file.js';
import { replayCommits } from '../log/replay-commits.js';
import { Tail, within } from '../log/tail.js';
import { dataFolder } from '../open-folder.js';
import { placeOf, textOf } from '../order/ordinal-encoding.js';
import { PlacedRows } from '../order/ordinal-rows.js';
import { mergeChanges } from '../read/merge-changes.js';
import { mergeLayers, type RowSource, sourcesOf } from '../read/merge-rows.js';

/**
 * Opens the data folder of a location for reading. Checks all its files, changes none, and keeps servers from opening it.
 *
 * Errors: StoreError when there is no data or it cannot be read, with what to do; the reason of the signal.
 */
export async function openFolderReader(
  location: string,
  { report, signal }: { readonly report: (warning: unknown) => void; readonly signal?: AbortSignal },
): Promise<StoreReader> {
  const folder = join(location, dataFolder);
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw noData(folder);
  const { path, hasStore, isNew, warning, remove } = await makeShadowFolder(folder, signal);
  try {
    if (!hasStore) throw noData(folder);
    if (warning !== undefined) report(warning);
    const engine = await openEngine(path, folder, isNew);
    return {
      async *read() {
        try {
          yield* readEngine(engine);
        } catch (error) {
          throw await explainShadowFailure(error, folder, path);
        }
      },
      async close() {
        await engine.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw await explainShadowFailure(error, folder, path);
  }
}

async function openEngine(path: string, folder: string, isNew: boolean): Promise<Engine> {
  const engine = await makeEngine(path);
  try {
    await engine.open();
    await checkFormat(engine, folder, isNew);
    await replayCommits(engine, path, folder);
    await checkRecords(engine, folder);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function noData(folder: string): StoreError {
  return new StoreError(
    'no-access',
    `There is no data in ${folder}.`,
    'Pass the folder that a server used as its --location.',
  );
}

/** Returns everything in an open engine, in the order of `StoreReader.read`. */
export async function* readEngine(engine: Engine): AsyncGenerator<StoredPart> {
  const last = engine.getSync(clockKey);
  if (last !== undefined) yield { kind: 'clock', last };
  // Branches are throw-away accounts.
  const branches = new Set((await engine.keys(kindRange('branch')).all()).map((key) => decodeRecordKey(key).account));
  for (const [, value] of await sortedRecords(engine, 'account')) {
    const record = JSON.parse(value) as AccountRecord;
    if (!branches.has(record.account)) yield { kind: 'account', ...record };
  }
  for (const [key, value] of await sortedRecords(engine, 'service')) {
    const { account } = decodeRecordKey(key);
    if (branches.has(account)) continue;
    yield { kind: 'settings', account, properties: JSON.parse(value) as ServiceProperties };
  }
  const records = await sortedRecords(engine, 'table');
  const tables = records.map(([key, value]) => ({
    account: decodeRecordKey(key).account,
    table: JSON.parse(value) as TableRecord,
  }));
  const isWanted = (account: string) => !branches.has(account);
  const none = new Tail();
  yield* readTables(engine, isWanted, { tables, sources: (prefixes) => sourcesOf(none, prefixes) });
}

/** Tables at one moment. */
export interface TablesView {
  readonly tables: readonly { readonly account: string; readonly table: TableRecord }[];
  /** Returns the sources of rows with these prefixes at the moment. */
  readonly sources: (prefixes: readonly string[]) => readonly RowSource[];
  /** The engine at the moment. Absent: nothing changes it, and entities are in key order. */
  readonly snapshot?: AbstractSnapshot;
}

/** Returns a view of tables at this moment, with entities in the order of their table. Its snapshot must be closed. */
export function viewOf(
  engine: Engine,
  tail: Tail,
  tables: TablesView['tables'],
): TablesView & { readonly snapshot: AbstractSnapshot } {
  const sources = new Map<string, RowSource>();
  for (const { account, table } of tables) {
    for (const source of sourcesOf(tail, prefixesOf(account, table))) sources.set(source.prefix, source);
  }
  return {
    tables,
    sources: (prefixes) => prefixes.map((prefix) => sources.get(prefix) ?? { prefix, tail: [] }),
    snapshot: engine.snapshot(),
  };
}

function prefixesOf(account: string, { id, layers = [] }: TableRecord): readonly string[] {
  return [entityPrefix(account, id), ...layers.map((layer) => entityPrefix(layer.account, layer.id))];
}

/** Returns the wanted tables of a view, each with its entities. */
export async function* readTables(
  engine: Engine,
  isWanted: TableSelection,
  view: TablesView,
): AsyncGenerator<StoredPart> {
  for (const { account, table } of view.tables) {
    const { name, created, policies = [], order } = table;
    if (!isWanted(account, name)) continue;
    yield { kind: 'table', account, name, created, policies, ...(order && { order }) };
    const sources = view.sources(prefixesOf(account, table));
    if (order && view.snapshot) {
      yield* readInOrder(engine, sources, view.snapshot);
      continue;
    }
    const state = view.snapshot ? { snapshot: view.snapshot } : {};
    const range = encodeRange(sources[0]?.prefix ?? '', {}, order !== undefined);
    const rows =
      sources.length > 1 ? mergeLayers(engine, sources, range, state) : readEntities(engine, sources[0], range, state);
    for await (const stored of rows) yield order ? placedEntities(stored) : { kind: 'entities', texts: stored };
  }
}

/** There are few of these, and a server keeps all of them in memory, too. */
async function sortedRecords(engine: Engine, kind: 'service' | 'table' | 'account'): Promise<[string, string][]> {
  const records = await engine.iterator(kindRange(kind)).all();
  return records.sort(([a], [b]) => compareOrdinal(a, b));
}

/** Returns the entities of a table in the order of insertion. */
async function* readInOrder(
  engine: Engine,
  sources: readonly RowSource[],
  snapshot: AbstractSnapshot,
): AsyncGenerator<StoredPart> {
  const table = new PlacedRows(engine, sources, snapshot);
  for await (const chunk of table.entities(table.inOrder({ ranges: [{}], rowsMax: Infinity }))) {
    yield { kind: 'entities', texts: chunk.map(({ text }) => text), places: chunk.map(({ place }) => place) };
  }
}

/** Returns the part of records of a table in the order of insertion. */
function placedEntities(stored: readonly string[]): StoredPart {
  return { kind: 'entities', texts: stored.map(textOf), places: stored.map(placeOf) };
}

async function* readEntities(
  engine: Engine,
  { prefix, tail }: RowSource = { prefix: '', tail: [] },
  range: StoredRange,
  state: { readonly snapshot?: AbstractSnapshot },
): AsyncGenerator<readonly string[]> {
  let lacked = within(tail, range);
  // LevelDB ends a chunk after this size.
  const options = { ...range, ...state, highWaterMarkBytes: partMax.bytes, fillCache: false };
  const values = engine.values(options);
  try {
    for (;;) {
      const texts = await values.nextv(partMax.entities);
      if (lacked.length > 0) {
        const keys = texts.map((text) => keyOfText(prefix, text));
        const last = keys.at(-1);
        const later = last === undefined ? -1 : lacked.findIndex(({ key }) => key > last);
        const known = later < 0 ? lacked : lacked.slice(0, later);
        lacked = lacked.slice(known.length);
        const [, merged] = mergeChanges(keys, texts, known);
        for (let at = 0; at < merged.length; at += partMax.entities) yield merged.slice(at, at + partMax.entities);
      } else if (texts.length > 0) yield texts;
      if (texts.length === 0) return;
    }
  } finally {
    await values.close();
  }
}
