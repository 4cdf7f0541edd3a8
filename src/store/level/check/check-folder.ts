import { mkdtemp, readdir, readFile, stat, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { removeFile } from '../../../change-file.js';
import type { StoreError } from '../../store-error.js';
import { commitsKey } from '../engine/key-encoding.js';
import { checkNotInUse } from '../engine/make-engine.js';
import { damaged } from '../explain-failure.js';
import { type FormatMark, formatFile, readFormatFile } from '../format-file.js';
import { emptyLog, type FoundLog, readSegments } from '../log/read-segments.js';
import { checkComplete } from '../log/replay-commits.js';
import { segmentNumber } from '../log/segment-header.js';
import { checkTableFiles, type TableChecksums, type TableFile } from './check-table-files.js';
import { type Manifest, newestValue, readManifest } from './leveldb/read-manifest.js';

/** The name of LevelDB's lock file. */
const lockFile = 'LOCK';

/** The result of checking a data folder. */
export interface FolderFindings {
  /** Part of a write at the end of the manifest, which LevelDB would take for damage. */
  readonly tornEdit: { readonly name: string; readonly at: number } | undefined;
  /** The checksums of the table files, which are all valid; undefined if all of them were already written. */
  readonly newChecksums: TableChecksums | undefined;
  /** The files that LevelDB reads; undefined if there is no store yet. */
  readonly files: StoreFiles | undefined;
  readonly log: FoundLog;
}

/** The findings in a folder without a store. */
export const noFindings: FolderFindings = {
  ...{ tornEdit: undefined, newChecksums: undefined, files: undefined, log: emptyLog },
};

/** The names of the files of a store. */
export interface StoreFiles {
  /** Sorted table files. LevelDB never changes them after it has written them. */
  readonly tableFiles: readonly string[];
  /** CURRENT, the manifest and LevelDB's logs. */
  readonly others: readonly string[];
}

/**
 * Checks all files of a store before LevelDB opens it, and reads its log of commits. Changes nothing.
 *
 * LevelDB would not report damage:
 *
 * - Without the file CURRENT, it creates an empty store and deletes the table files of the old one.
 * - It does not check what it reads from table files. A compaction may start as soon as the store is open, and would copy
 *   a damaged row into a new file with a valid checksum.
 *
 * Errors: StoreError if the store would return wrong data; the reason of the signal.
 */
export async function checkFolder(folder: string, mark: FormatMark, signal?: AbortSignal): Promise<FolderFindings> {
  const names = await readdir(folder);
  if (!names.includes('CURRENT')) {
    if (hasStoreFiles(names)) throw damaged('the file CURRENT is missing', folder);
    return noFindings;
  }
  const current = (await readFile(join(folder, 'CURRENT'), 'latin1')).trimEnd();
  if (!/^MANIFEST-\d+$/.test(current)) throw damaged('the file CURRENT is damaged', folder);
  if (!names.includes(current)) throw damaged(`the file ${current} is missing`, folder);
  const manifest = readManifest(await readFile(join(folder, current)));
  if (!manifest) throw damaged(`the file ${current} is damaged`, folder);
  const isLogBegun = names.some((name) => segmentNumber(name) !== undefined);
  const tableFiles = await findTableFiles(folder, names, manifest);
  const logs = findLevelLogs(names, manifest);
  // A first start that was cut off may not have begun the log, and a LevelDB without the file FORMAT may be that of another program.
  const isEmpty = mark.state !== 'used' && !isLogBegun;
  const log = isEmpty ? emptyLog : await readSegments(folder, folder);
  const reached = isEmpty ? undefined : await findReached(folder, logs);
  if (reached) checkComplete(log, reached, folder);
  const newChecksums = await checkTableFiles(folder, tableFiles, signal);
  const files = { tableFiles: tableFiles.map(({ name }) => name), others: ['CURRENT', current, ...logs] };
  const tornEdit = manifest.tornAt === undefined ? undefined : { name: current, at: manifest.tornAt };
  return { tornEdit, newChecksums, files, log };
}

/**
 * Runs the checks of a start on a folder with data, and returns a warning that the start would report. Changes no data. Must not be
 * called by a process that has the store open, because the process would lose its lock.
 *
 * Errors: StoreError if the store cannot be opened, with what to do.
 */
export async function examineFolder(folder: string): Promise<StoreError | undefined> {
  const mark = await readFormatFile(folder);
  if ((await readdir(folder)).includes(lockFile)) await checkLock(folder);
  // Leftovers of a first start are not a store, whatever state they are in.
  return mark.state === 'new' ? undefined : (await checkFolder(folder, mark)).log.warning;
}

/** Checks that no process has a store open, by a link to its lock: in the folder itself, LevelDB would begin another file LOG. */
async function checkLock(folder: string): Promise<void> {
  // Links need a privilege there.
  if (process.platform === 'win32') return checkNotInUse(folder);
  const other = await mkdtemp(join(tmpdir(), 'tabularium-lock-'));
  try {
    await symlink(resolve(folder, lockFile), join(other, lockFile));
    await checkNotInUse(other, folder);
  } finally {
    await removeFile(other);
  }
}

/** Finds LevelDB's logs whose writes are not yet in a table file, oldest first. */
function findLevelLogs(names: readonly string[], { log: oldest }: Manifest): readonly string[] {
  return names
    .filter((name) => /^\d+\.log$/.test(name) && numberOf(name) >= oldest)
    .sort((one, other) => numberOf(one) - numberOf(other));
}

/**
 * Returns the record of the last commit in LevelDB's logs; undefined or null if they do not tell. They nearly always do: each start and each
 * checkpoint begins one with it.
 */
async function findReached(folder: string, logs: readonly string[]): Promise<string | null | undefined> {
  for (const name of logs.toReversed()) {
    const reached = newestValue(await readFile(join(folder, name)), commitsKey);
    if (reached !== undefined) return reached;
  }
  return undefined;
}

/** Cuts the end of the manifest off that LevelDB has never used, in the folder that LevelDB will open. */
export async function cutTornEdit(folder: string, { tornEdit }: Pick<FolderFindings, 'tornEdit'>): Promise<void> {
  if (tornEdit) await truncate(join(folder, tornEdit.name), tornEdit.at);
}

/** Deletes the files of a store that nothing was ever written to, because its first start was cut off. */
export async function removeUnusedStore(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter(isStoreFile)) await removeFile(join(folder, name));
}

function isStoreFile(name: string): boolean {
  return /^(?:CURRENT|CHECKED|MANIFEST-\d+|COMMITS-\d+|\d+\.(?:log|ldb|sst|dbtmp))$/.test(name);
}

/**
 * Returns whether a folder without CURRENT has files of a store. The first manifest alone does not count: a process that
 * is killed during its first start leaves it.
 */
function hasStoreFiles(names: readonly string[]): boolean {
  const isPart = (name: string) => name === formatFile || /^COMMITS-\d+$|^\d+\.(log|ldb|sst)$/.test(name);
  return names.some((name) => isPart(name) || (/^MANIFEST-/.test(name) && !/^MANIFEST-0*1$/.test(name)));
}

/** Finds the table files of the manifest. Errors: StoreError if one is missing or has another size. */
async function findTableFiles(
  folder: string,
  names: readonly string[],
  { tableFiles }: Manifest,
): Promise<TableFile[]> {
  const found = new Map(names.filter((name) => /\.(ldb|sst)$/.test(name)).map((name) => [numberOf(name), name]));
  const files = [...tableFiles].map(([number, size]) => {
    const name = found.get(number);
    if (name === undefined) throw damaged(`the file ${fileName(number, 'ldb')} is missing`, folder);
    return { name, size };
  });
  const stats = await Promise.all(files.map(({ name }) => stat(join(folder, name))));
  const cut = files.find(({ size }, at) => stats[at]?.size !== size);
  if (cut) throw damaged(`the file ${cut.name} is damaged`, folder);
  return files;
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** Returns LevelDB's name of a file. */
function fileName(number: number, ending: string): string {
  return `${String(number).padStart(6, '0')}.${ending}`;
}
