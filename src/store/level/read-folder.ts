import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AbstractSnapshot } from 'abstract-level';
import type { ServiceProperties } from '../../protocol/service-properties.js';
import type { AccountRecord } from '../account-services.js';
import { StoreError } from '../store-error.js';
import { compareOrdinal, partMax, type StoredPart, type StoreReader, type TableSelection } from '../stored-parts.js';
import { checkRecords } from './check-records.js';
import { replayCommits } from './commit-log/replay-commits.js';
import type { Engine, RecordChange } from './engine.js';
import { checkFormat } from './format-file.js';
import { clockKey, decodeRecordKey, encodeRange, entityPrefix, keyOfText, kindRange } from './key-encoding.js';
import { makeEngine } from './make-engine.js';
import { mergeChanges } from './merge-changes.js';
import { mergeLayers } from './merge-layers.js';
import { dataFolder } from './open-folder.js';
import { placeOf, textOf } from './place-encoding.js';
import { PlacedRows } from './placed-rows.js';
import { explainShadowFailure, makeShadowFolder } from './shadow-folder.js';
import type { Layer, TableRecord } from './table-directory.js';

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
  yield* readTables(engine, (account) => !branches.has(account));
}

/** A state of a store: that of a snapshot, with changes that only the log had, in the order of their keys. */
export interface ViewedState {
  readonly snapshot: AbstractSnapshot;
  readonly logged: readonly RecordChange[];
}

/**
 * Returns the tables of an open engine that are wanted, each with its entities. A view of a state has entities in the order of their
 * table; without one it has the present state in key order.
 */
export async function* readTables(
  engine: Engine,
  isWanted: TableSelection,
  view?: ViewedState,
): AsyncGenerator<StoredPart> {
  const snapshot = view?.snapshot;
  const reading: EngineReading = { engine, state: snapshot ? { snapshot } : {}, logged: view?.logged ?? [] };
  for (const [key, value] of await sortedRecords(engine, 'table', reading.state)) {
    const { account } = decodeRecordKey(key);
    const { name, created, id, policies = [], order, layers } = JSON.parse(value) as TableRecord;
    if (!isWanted(account, name)) continue;
    yield { kind: 'table', account, name, created, policies, ...(order && { order }) };
    const hasOrders = order !== undefined;
    if (order && snapshot) {
      yield* readInOrder(engine, [{ account, id }, ...(layers ?? [])], snapshot);
      continue;
    }
    const rows = layers
      ? readLayeredEntities(reading, [{ account, id }, ...layers], hasOrders)
      : readEntities(reading, entityPrefix(account, id), hasOrders);
    for await (const stored of rows) yield order ? placedEntities(stored) : { kind: 'entities', texts: stored };
  }
}

/** An engine, and which state of it to read: without a snapshot, the present one. */
interface EngineReading {
  readonly engine: Engine;
  readonly state: { readonly snapshot?: AbstractSnapshot };
  /** Changes that the state lacks, in the order of their keys. */
  readonly logged: readonly RecordChange[];
}

/** There are few of these, and a server keeps all of them in memory, too. */
async function sortedRecords(
  engine: Engine,
  kind: 'service' | 'table' | 'account',
  state: EngineReading['state'] = {},
): Promise<[string, string][]> {
  const records = await engine.iterator({ ...kindRange(kind), ...state }).all();
  return records.sort(([a], [b]) => compareOrdinal(a, b));
}

/** Returns the entities of a table in the order of insertion. */
async function* readInOrder(
  engine: Engine,
  [own, ...below]: readonly [Layer, ...Layer[]],
  snapshot: AbstractSnapshot,
): AsyncGenerator<StoredPart> {
  const prefixOf = ({ account, id }: Layer) => entityPrefix(account, id);
  const table = new PlacedRows(engine, [prefixOf(own), ...below.map(prefixOf)], snapshot);
  for await (const chunk of table.entities(table.inOrder({ ranges: [{}], rowsMax: Infinity }))) {
    yield { kind: 'entities', texts: chunk.map(({ text }) => text), places: chunk.map(({ place }) => place) };
  }
}

/** Returns the part of records of a table in the order of insertion. */
function placedEntities(stored: readonly string[]): StoredPart {
  return { kind: 'entities', texts: stored.map(textOf), places: stored.map(placeOf) };
}

async function* readEntities(
  { engine, state, logged }: EngineReading,
  prefix: string,
  hasOrders: boolean,
): AsyncGenerator<readonly string[]> {
  const lacked = logged.filter(({ key }) => key.startsWith(prefix));
  // LevelDB ends a chunk after this size.
  const options = {
    ...encodeRange(prefix, {}, hasOrders),
    ...state,
    highWaterMarkBytes: partMax.bytes,
    fillCache: false,
  };
  const values = engine.values(options);
  try {
    for (;;) {
      const texts = await values.nextv(partMax.entities);
      if (lacked.length > 0) {
        const keys = texts.map((text) => keyOfText(prefix, text));
        const last = keys.at(-1);
        const later = last === undefined ? -1 : lacked.findIndex(({ key }) => key > last);
        const [, merged] = mergeChanges(keys, texts, lacked.splice(0, later < 0 ? lacked.length : later));
        for (let at = 0; at < merged.length; at += partMax.entities) yield merged.slice(at, at + partMax.entities);
      } else if (texts.length > 0) yield texts;
      if (texts.length === 0) return;
    }
  } finally {
    await values.close();
  }
}

async function* readLayeredEntities(
  { engine, state }: EngineReading,
  layers: readonly Layer[],
  hasOrders: boolean,
): AsyncGenerator<readonly string[]> {
  const ranges = layers.map(({ account, id }) => {
    const prefix = entityPrefix(account, id);
    return { prefix, range: encodeRange(prefix, {}, hasOrders) };
  });
  yield* mergeLayers(engine, ranges, state);
}
