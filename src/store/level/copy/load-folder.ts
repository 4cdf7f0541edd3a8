import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../../../change-file.js';
import { createClock } from '../../../clock/clock.js';
import { type EntityText, timestampOf } from '../../../entity/stored/entity.js';
import { keyOf } from '../../../entity/stored/write-row.js';
import { lowerAscii } from '../../../protocol/names.js';
import type { StoredPart, StoreLoader } from '../../copy/stored-parts.js';
import { makeFolder } from '../../folder/make-folder.js';
import { StoreError } from '../../store-error.js';
import { newTable } from '../directories/table-directory.js';
import type { Engine } from '../engine/engine.js';
import {
  clockKey,
  encodeEntityKey,
  encodeNamedKey,
  encodeTableKey,
  entityPrefix,
  formatKey,
} from '../engine/key-encoding.js';
import { checkNotInUse, makeEngine } from '../engine/make-engine.js';
import { explainOpenFailure } from '../explain-failure.js';
import { currentFormat, unfinishedCopyFile, writeFormatFile } from '../format-file.js';
import { isDiskFull } from '../free-space.js';
import { FileLog } from '../log/file-log.js';
import { proveOnDisk } from '../log/prove-on-disk.js';
import { emptyLog } from '../log/read-segments.js';
import { dataFolder } from '../open-folder.js';
import { joinPlace, placeRows } from '../order/ordinal-encoding.js';
import { shareWithGroup } from '../share-with-group.js';
import { readEngine } from './read-folder.js';

/**
 * Opens the data folder of a location for loading. Creates it if it is missing, and empties it if a copy to it was
 * interrupted. A file in it keeps servers from opening it until `release`.
 *
 * Errors: StoreError when the folder has other data, is in use or cannot be written, with what to do.
 */
export async function openFolderLoader(location: string): Promise<StoreLoader> {
  const folder = join(location, dataFolder);
  try {
    await prepareFolder(folder);
    const engine = await makeEngine(folder);
    await engine.open();
    return new FolderLoader(engine, location, folder);
  } catch (error) {
    throw await explainLoadFailure(error, folder);
  }
}

/** Names of files that LevelDB creates even if it does not open a folder. */
const leftByLevel = /^LO(?:CK|G(?:\.old)?)$/;

async function prepareFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  const names = (await readdir(folder)).filter((name) => !leftByLevel.test(name));
  if (names.includes(unfinishedCopyFile)) {
    await checkNotInUse(folder);
    // The file that marks the copy is removed last, so that a kill does not leave half of the files without it.
    for (const name of names) if (name !== unfinishedCopyFile) await removeFile(join(folder, name));
  } else if (names.length > 0) {
    throw new StoreError('not-empty', `The folder ${folder} is not empty.`, 'Pass a folder without data to --to.');
  }
  const text = 'A copy to this folder is not complete. Copy again, or delete this folder.\n';
  await writeFile(join(folder, unfinishedCopyFile), text, { flush: true });
}

/** Loads an engine that is open and empty. */
class FolderLoader implements StoreLoader {
  readonly #engine: Engine;
  readonly #location: string;
  readonly #folder: string;
  /** Gives the tables their ids, which no later table may get. */
  readonly #clock = createClock();
  /** The last Timestamp so far, without its `Z`, so that texts compare as instants. */
  #last = '';
  /** What the keys of the last table's entities begin with. */
  #prefix = '';
  /** The accounts whose table names are exact. */
  readonly #exact = new Set<string>();

  constructor(engine: Engine, location: string, folder: string) {
    this.#engine = engine;
    this.#location = location;
    this.#folder = folder;
  }

  async write(part: StoredPart): Promise<void> {
    switch (part.kind) {
      case 'clock':
        this.#clock.resumeAfter(part.last);
        return;
      case 'account': {
        const { kind: _, ...record } = part;
        if (record.exactNames) this.#exact.add(record.account);
        return this.#put([encodeNamedKey('account', record.account), JSON.stringify(record)]);
      }
      case 'settings':
        return this.#put([encodeNamedKey('service', part.account), JSON.stringify(part.properties)]);
      case 'table': {
        const { account, name, created, policies, order } = part;
        const { id } = newTable(name, this.#clock.nextTimestamp());
        this.#prefix = entityPrefix(account, id);
        const record = { name, created, id, ...(policies.length > 0 && { policies }), ...(order && { order }) };
        const nameKey = this.#exact.has(account) ? name : lowerAscii(name);
        return this.#put([encodeTableKey(account, nameKey), JSON.stringify(record)]);
      }
      case 'entities':
        return this.#put(...part.texts.flatMap((text, at) => this.#recordsOf(text, part.places?.[at])));
    }
  }

  async finish(): Promise<void> {
    if (this.#last !== '') this.#clock.resumeAfter(`${this.#last}Z`);
    await this.#put([clockKey, this.#clock.last()], [formatKey, String(currentFormat)]);
  }

  read(): AsyncIterable<StoredPart> {
    return readEngine(this.#engine);
  }

  async release(): Promise<void> {
    try {
      await proveOnDisk(this.#engine, 0);
      await this.#engine.close();
      const log = await FileLog.open(this.#folder, emptyLog);
      await log.start();
      log.close();
      await writeFormatFile(this.#folder);
      await shareWithGroup(this.#location, this.#folder);
      await removeFile(join(this.#folder, unfinishedCopyFile));
    } catch (error) {
      throw await explainLoadFailure(error, this.#folder);
    }
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }

  #recordsOf(text: EntityText, place: string | undefined): (readonly [key: string, value: string])[] {
    const key = { partitionKey: keyOf(text, 'PartitionKey'), rowKey: keyOf(text, 'RowKey') };
    const stamp = timestampOf(text).slice(0, -1);
    if (stamp > this.#last) this.#last = stamp;
    const row = encodeEntityKey('', key);
    if (place === undefined) return [[this.#prefix + row, text]];
    const orders = placeRows(row, place).map((one): [string, string] => [this.#prefix + one, row]);
    return [[this.#prefix + row, joinPlace(place, text)], ...orders];
  }

  async #put(...records: readonly (readonly [key: string, value: string])[]): Promise<void> {
    try {
      // A chained batch costs a third of one from an array.
      const batch = this.#engine.batch();
      for (const [key, value] of records) batch.put(key, value);
      await batch.write();
    } catch (error) {
      throw await explainLoadFailure(error, this.#folder);
    }
  }
}

async function explainLoadFailure(error: unknown, folder: string): Promise<StoreError> {
  if (error instanceof StoreError) return error;
  if (!(await isDiskFull(error, folder))) return explainOpenFailure(error, folder);
  return new StoreError(
    'disk-full',
    `The disk of ${folder} is full.`,
    'Free space on it, and run the command again. It starts over.',
  );
}
