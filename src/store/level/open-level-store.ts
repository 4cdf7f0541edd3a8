import type { ServiceProperties } from '../../protocol/service-properties.js';
import { type AccountRecord, AccountServices } from '../account-services.js';
import type { BranchRecord } from '../snapshots.js';
import { StoreError } from '../store-error.js';
import { readClock } from './directories/check-records.js';
import { RecordDirectory } from './directories/record-directory.js';
import { TableDirectory } from './directories/table-directory.js';
import type { Engine } from './engine/engine.js';
import { explainOpenFailure } from './explain-failure.js';
import { checkFormat } from './format-file.js';
import { allLayers } from './layers/replace-tables.js';
import { RowsUsers } from './layers/rows-users.js';
import { listsOf, type SnapshotRecord } from './layers/snapshot-record.js';
import type { Directories, LevelStoreOptions } from './level-parts.js';
import { LevelStore } from './level-store.js';
import { keptBytesMax, MemoryLog } from './log/commit-log.js';
import { FileLog } from './log/file-log.js';
import { restartLog } from './log/prove-on-disk.js';
import { replayCommits } from './log/replay-commits.js';

/** The number of segments that triggers a checkpoint at a start, because each start begins one. (Our choice.) */
const keptSegmentsMax = 16;

/** Opens a store on an engine. Errors: StoreError when the data is in use, damaged or of another format. */
export async function openLevelStore(engine: Engine, options: LevelStoreOptions): Promise<LevelStore> {
  try {
    await engine.open();
  } catch (error) {
    throw explainOpenFailure(error, options.location);
  }
  let log: FileLog | undefined;
  let isLogWorn = false;
  try {
    const { location, isNew = true } = options;
    const content = options.log?.content;
    if (options.log && content) {
      log = await FileLog.open(options.log.folder, content, options.log);
      // A segment without a header looks like damage if a power failure loses the earlier ones.
      isLogWorn = content.files.length >= keptSegmentsMax || content.files.some(({ isBegun }) => !isBegun);
    }
    await checkFormat(engine, location, isNew);
    const reached = content ? await replayCommits(engine, content, location) : 0;
    if (log && reached > log.last) {
      log.skip(reached);
      isLogWorn = true;
    }
    const last = readClock(engine, location);
    if (last !== undefined) options.clock.resumeAfter(last);
    const services = new AccountServices();
    const users = new RowsUsers();
    const directories: Directories = {
      tables: new TableDirectory(services, users),
      accounts: new RecordDirectory<AccountRecord>('account'),
      snapshots: new RecordDirectory<SnapshotRecord>('snapshot', { users, of: listsOf }),
      branches: new RecordDirectory<BranchRecord>('branch'),
      settings: new RecordDirectory<ServiceProperties>('service'),
    };
    for (const directory of Object.values(directories)) await directory.load(engine, location);
    users.recount(allLayers(directories));
    const known = { services, users, ...directories };
    if (!log) return new LevelStore(engine, new MemoryLog(), known, options);
    await log.start();
    // Otherwise each start would take longer than the previous one.
    if (log.bytes > keptBytesMax || isLogWorn) {
      await restartLog(engine, log);
    }
    return new LevelStore(engine, log, known, options);
  } catch (error) {
    log?.close();
    await engine.close();
    throw error instanceof StoreError ? error : explainOpenFailure(error, options.location);
  }
}
