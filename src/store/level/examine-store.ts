import { copyFile, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../entity/clock.js';
import { StoreError } from '../store-error.js';
import { checkFolder, type StoreFiles } from './check-folder.js';
import { checkFormatFile, explainOpenFailure, isInUse } from './format.js';
import { openLevelStore } from './level-store.js';
import { makeEngine, refuseAfterLock } from './make-engine.js';

/** What an examination needs. */
export interface StoreExamination {
  /** The data folder. Must exist. */
  readonly folder: string;
  /** Is set to the time of the last write. */
  readonly clock: Clock;
  /** Hears what a start would report. */
  readonly report: (error: unknown) => void;
}

/** LevelDB's lock. */
const lockFile = 'LOCK';

/**
 * Finds out whether a store can be opened, and changes nothing in its folder.
 *
 * LevelDB writes files whenever it opens a store. So it opens a temporary folder that looks like the store: the tables
 * and the lock are links to the real files, which it only reads; the others are copies. Must not be called in a process
 * that has the store open, since it would lose its lock.
 *
 * Errors: StoreError when the store cannot be opened, with what to do.
 */
export async function examineStore({ folder, clock, report }: StoreExamination): Promise<void> {
  const isNew = !(await checkFormatFile(folder));
  const shadow = await makeTemporaryFolder();
  try {
    await linkLock(folder, shadow);
    const { warning, files } = await checkFolder(folder);
    if (warning !== undefined) report(warning);
    if (!files) return;
    await copyStore(folder, shadow, files);
    const store = await openLevelStore(await makeEngine(shadow), { clock, location: folder, isNew, report });
    await store.close();
  } catch (error) {
    throw error instanceof StoreError ? error : explainOpenFailure(error, folder);
  } finally {
    await rm(shadow, { recursive: true, force: true });
  }
}

async function makeTemporaryFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'tabularium-doctor-'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      'no-access',
      `A temporary folder cannot be made: ${reason}.`,
      'Choose another one with TMPDIR.',
    );
  }
}

/** Links the lock and tries it. Errors: StoreError when another process has the store. */
async function linkLock(folder: string, shadow: string): Promise<void> {
  if (!(await readdir(folder)).includes(lockFile)) return;
  await link(join(folder, lockFile), join(shadow, lockFile));
  const engine = await makeEngine(shadow, refuseAfterLock);
  const refusal: unknown = await engine.open().catch((error: unknown) => error);
  if (isInUse(refusal)) throw explainOpenFailure(refusal, folder);
}

/**
 * Takes over the files of the store and no others: LevelDB may give the number of a left-over file to a new one, and
 * would write through the link.
 */
async function copyStore(folder: string, shadow: string, { tables, others }: StoreFiles): Promise<void> {
  for (const name of others) await copyFile(join(folder, name), join(shadow, name));
  for (const name of tables) await link(join(folder, name), join(shadow, name));
}

/** Links a file, or copies it where the system permits no links. */
async function link(from: string, to: string): Promise<void> {
  await symlink(from, to).catch(() => copyFile(from, to));
}
