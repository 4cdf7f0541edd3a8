import { type AccountRecord, AccountServices } from '../account-services.js';
import type { BranchRecord } from '../snapshots.js';
import { StoreError } from '../store-error.js';
import { syncFolder } from '../sync-folder.js';
import { checkRecords } from './check-records.js';
import { CommitLog } from './commit-log/commit-log.js';
import { replayCommits } from './commit-log/replay-commits.js';
import type { Engine } from './engine.js';
import { explainOpenFailure } from './explain-failure.js';
import { checkFormat, loggedFormat, setFormat } from './format-file.js';
import { clockKey, formatKey } from './key-encoding.js';
import { LevelStore, loadDirectories } from './level-store.js';
import type { LevelStoreOptions } from './level-store-options.js';
import type { Directories } from './level-table.js';
import { formatOf } from './raise-format.js';
import { RecordDirectory } from './record-directory.js';
import type { SnapshotRecord } from './snapshot-record.js';
import { TableDirectory } from './table-directory.js';

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
    const { logFolder, location, durability = 'os' } = options;
    const lastCommit = logFolder === undefined ? 0 : await replayCommits(engine, logFolder, location);
    await checkRecords(engine, options.location);
    const last = engine.getSync(clockKey);
    if (last !== undefined) options.clock.resumeAfter(last);
    const services = new AccountServices();
    const directories: Directories = {
      tables: new TableDirectory(services),
      accounts: new RecordDirectory<AccountRecord>('account', ({ account }) => account),
      snapshots: new RecordDirectory<SnapshotRecord>('snapshot', ({ name }) => name),
      branches: new RecordDirectory<BranchRecord>('branch', ({ account }) => account),
    };
    await loadDirectories(engine, directories);
    const format = formatOf(directories);
    if (logFolder === undefined || durability === 'fsync') {
      const wasLogged = engine.getSync(formatKey) === String(loggedFormat);
      // The engine has what was in it. A commit that was cut off would be reported at each start.
      if (logFolder !== undefined && wasLogged) new CommitLog(logFolder, lastCommit).close();
      await setFormat(engine, format);
      return new LevelStore(engine, { services, ...directories }, options);
    }
    // The files of the log are there before the format that counts on them.
    const log = new CommitLog(logFolder, lastCommit);
    try {
      await syncFolder(logFolder);
      await setFormat(engine, loggedFormat);
    } catch (error) {
      log.close();
      throw error;
    }
    return new LevelStore(engine, { services, ...directories }, { ...options, log });
  } catch (error) {
    await engine.close();
    throw error instanceof StoreError ? error : explainOpenFailure(error, options.location);
  }
}
