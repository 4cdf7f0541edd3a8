import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceProperties } from '../../../protocol/service-properties.js';
import type { AccountRecord } from '../../account-services.js';
import { compareOrdinal, type StoredPart, type StoreReader } from '../../copy/stored-parts.js';
import { StoreError } from '../../store-error.js';
import { openShadow } from '../check/shadow-folder.js';
import { layersOfTable, type TableRecord } from '../directories/table-directory.js';
import type { Engine } from '../engine/engine.js';
import { EngineGate } from '../engine/engine-gate.js';
import { clockKey, decodeRecordKey, encodeRange, kindRange } from '../engine/key-encoding.js';
import { Tail } from '../log/tail.js';
import { dataFolder } from '../open-folder.js';
import { placeOf, textOf } from '../order/ordinal-encoding.js';
import { readInParts } from '../read/read-in-parts.js';
import { partOf } from '../read/read-table.js';

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
  const { engine, explain, close } = await openShadow(folder, report, signal);
  if (!engine) {
    await close();
    throw noData(folder);
  }
  return {
    async *read() {
      try {
        yield* readEngine(engine);
      } catch (error) {
        throw await explain(error);
      }
    },
    close,
  };
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
  const source = { engine, gate: new EngineGate(), tail: new Tail() };
  for (const { account, table } of tables) {
    if (branches.has(account)) continue;
    const layers = layersOfTable(account, table);
    yield partOf(account, table);
    const isOrdered = table.order !== undefined;
    const rangeOf = (prefix: string) => encodeRange(prefix, {}, isOrdered);
    for await (const { texts } of readInParts(source, { layers, rangeOf })) {
      yield isOrdered ? placedEntities(texts) : { kind: 'entities', texts };
    }
  }
}

/** There are few of these, and a server keeps all of them in memory, too. */
async function sortedRecords(engine: Engine, kind: 'service' | 'table' | 'account'): Promise<[string, string][]> {
  const records = await engine.iterator(kindRange(kind)).all();
  return records.sort(([a], [b]) => compareOrdinal(a, b));
}

/** Returns the part of records of a table in the order of insertion. */
function placedEntities(stored: readonly string[]): StoredPart {
  return { kind: 'entities', texts: stored.map(textOf), places: stored.map(placeOf) };
}
