import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../store-error.js';
import { checkRecords } from '../directories/check-records.js';
import { compactable } from '../engine/compact-range.js';
import { formatKey } from '../engine/key-encoding.js';
import { makeEngine } from '../engine/make-engine.js';
import { explainOpenFailure } from '../explain-failure.js';
import { checkFormat, currentFormat, type FormatMark, writeFormatFile, writeFormatText } from '../format-file.js';
import { FileLog } from '../log/file-log.js';
import { proveOnDisk } from '../log/prove-on-disk.js';
import { emptyLog, type FoundLog, readSegments } from '../log/read-segments.js';
import { segmentNumber } from '../log/segment-header.js';

/** Begins and ends a range of all keys. */
const allKeys = ['', '\uffff\uffff'] as const;

/**
 * Gives a data folder of version 0.1.0 the current format. Its files must have been checked. Each step may be repeated, so the next start
 * continues after a kill; and no other version opens the folder from the first step on.
 *
 * All of LevelDB's files are rewritten: version 0.1.0 wrote batches while snapshots were open, so LevelDB may have two versions of a key in an
 * order that brings the older one back (its issue 320). A compaction of everything merges them. Returns the new log.
 *
 * Errors: StoreError if the data cannot be read, or if there is too little space. Then the folder still has its old format.
 */
export async function upgradeFolder(folder: string, { state, text }: FormatMark): Promise<FoundLog> {
  await checkSpace(folder);
  // A LevelDB without the file may be that of another program, so it is marked when it is known.
  if (state !== 'unmarked') await writeFormatFile(folder, 'upgrade');
  try {
    await rewriteLevel(folder, state === 'unmarked');
  } catch (error) {
    // Rejected data has not been changed yet.
    if (state !== 'unmarked') await writeFormatText(folder, text).catch(() => {});
    throw error instanceof StoreError ? error : explainOpenFailure(error, folder);
  }
  const leftOver = (await readdir(folder)).filter((name) => segmentNumber(name) !== undefined);
  const log = await FileLog.open(folder, { ...emptyLog, leftOver });
  try {
    await log.start();
  } finally {
    log.close();
  }
  await writeFormatFile(folder);
  return readSegments(folder, folder);
}

/** Lets LevelDB rewrite all its files, and proves that they are on disk. */
async function rewriteLevel(folder: string, isUnmarked: boolean): Promise<void> {
  const engine = await makeEngine(folder);
  await engine.open();
  try {
    await checkFormat(engine, folder, isUnmarked);
    if (isUnmarked) await writeFormatFile(folder, 'upgrade');
    await checkRecords(engine, folder);
    await compactable(engine)?.compactRange(...allKeys);
    await engine.put(formatKey, String(currentFormat));
    await proveOnDisk(engine, 0);
  } finally {
    await engine.close();
  }
}

/** Checks that all files can be rewritten: LevelDB ends the process if the disk is full meanwhile. Errors: StoreError. */
async function checkSpace(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(?:ldb|sst|log)$/.test(name));
  let needed = 1024 * 1024;
  for (const name of names) needed += (await stat(join(folder, name))).size;
  const { blocks, bavail, bsize } = await statfs(folder);
  if (blocks === 0 || bavail * bsize >= needed) return;
  const free = `at least ${Math.ceil(needed / 1024 / 1024)} MiB are free`;
  throw new StoreError(
    'disk-full',
    `The data in ${folder} cannot be upgraded to format ${currentFormat}: the disk is full.`,
    `It is when ${free}.`,
  );
}
