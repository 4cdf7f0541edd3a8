import { type AccountRecord, AccountServices } from '../account-services.js';
import { syncFolder } from '../folder/sync-folder.js';
import type { BranchRecord } from '../snapshots.js';
import { StoreError } from '../store-error.js';
import { checkRecords } from './directories/check-records.js';
import { RecordDirectory } from './directories/record-directory.js';
import { ServiceSettings } from './directories/service-settings.js';
import { TableDirectory } from './directories/table-directory.js';
import type { Engine } from './engine/engine.js';
import { clockKey } from './engine/key-encoding.js';
import { explainOpenFailure } from './explain-failure.js';
import { checkFormat, loggedFormat, setFormat } from './format-file.js';
import { allLayers } from './layers/drop-tables.js';
import { RowsUsers } from './layers/rows-users.js';
import { layersOf, type SnapshotRecord } from './layers/snapshot-record.js';
import type { Directories } from './level-parts.js';
import { LevelStore } from './level-store.js';
import type { LevelStoreOptions } from './level-store-options.js';
import { FileLog, MemoryLog } from './log/commit-log.js';
import { replayCommits } from './log/replay-commits.js';

/**
 * Opens a store on LevelDB, or on the engine in memory that has the same interface.
 *
 * Errors: StoreError when the data is in use, damaged or of another format.
 */
export async function openLevelStore(engine: Engine, options: LevelStoreOptions): Promise<LevelStore> {
  try {
    await engine.open();
  } catch (error) {
    throw explainOpenFailure(error, options.location);
  }
  try {
    await checkFormat(engine, options.location, options.isNew ?? true);
    const { logFolder, location, logOptions } = options;
    const lastCommit = logFolder === undefined ? 0 : await replayCommits(engine, logFolder, location);
    await checkRecords(engine, options.location);
    const last = engine.getSync(clockKey);
    if (last !== undefined) options.clock.resumeAfter(last);
    const services = new AccountServices();
    const users = new RowsUsers();
    const directories: Directories = {
      tables: new TableDirectory(services, users),
      accounts: new RecordDirectory<AccountRecord>('account', ({ account }) => account),
      snapshots: new RecordDirectory<SnapshotRecord>('snapshot', ({ name }) => name, { users, of: layersOf }),
      branches: new RecordDirectory<BranchRecord>('branch', ({ account }) => account),
      settings: new ServiceSettings(),
    };
    for (const directory of Object.values(directories)) await directory.load(engine);
    users.recount(allLayers(directories));
    const known = { services, users, ...directories };
    if (logFolder === undefined) return new LevelStore(engine, new MemoryLog(), known, options);
    // The files of the log are there before the format that counts on them.
    const log = new FileLog(logFolder, lastCommit, logOptions);
    try {
      await syncFolder(logFolder);
      await setFormat(engine, loggedFormat);
    } catch (error) {
      log.close();
      throw error;
    }
    return new LevelStore(engine, log, known, options);
  } catch (error) {
    await engine.close();
    throw error instanceof StoreError ? error : explainOpenFailure(error, options.location);
  }
}
