import { mkdtemp, open, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { removeFile, renameFile } from '../../../change-file.js';
import type { StoreError } from '../../store-error.js';
import { commitsKey } from '../engine/key-encoding.js';
import { checkNotInUse } from '../engine/make-engine.js';
import { damaged } from '../explain-failure.js';
import { type FormatMark, formatFile, readFormatFile } from '../format-file.js';
import { emptyLog, readSegments, type StoredLog } from '../log/read-segments.js';
import { checkComplete } from '../log/replay-commits.js';
import { segmentNumber } from '../log/segment-header.js';
import { crc32c, readVarint, unmask } from './leveldb/encoding.js';
import { type Manifest, newestValue, readManifest } from './leveldb/read-manifest.js';

const lockFile = 'LOCK';

/** The result of checking a data folder. */
export interface FolderFindings {
  /** A torn write at the end of the manifest, which LevelDB would take for damage. */
  readonly tornEdit: { readonly name: string; readonly at: number } | undefined;
  /** The checksums of the table files, all valid; undefined if all of them are already on disk. */
  readonly newChecksums: TableChecksums | undefined;
  readonly hasStore: boolean;
  readonly log: StoredLog;
}

/** The findings in a folder without a store. */
export const noFindings: FolderFindings = {
  ...{ tornEdit: undefined, newChecksums: undefined, hasStore: false, log: emptyLog },
};

/**
 * Checks all files of a store before LevelDB opens it, and reads the commit log. Changes nothing.
 *
 * LevelDB would not report damage:
 *
 * - Without the file CURRENT, it creates an empty store and deletes the table files of the old one.
 * - It does not verify its reads from table files. A compaction may start as soon as the store is open, and would copy a damaged row
 *   into a new file with a valid checksum.
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
  // An interrupted first start may not have begun the log, and a LevelDB without the file FORMAT may belong to another program.
  const isEmpty = mark.state !== 'used' && !isLogBegun;
  const log = isEmpty ? emptyLog : await readSegments(folder, folder);
  const reached = isEmpty ? undefined : await findReached(folder, findLevelLogs(names, manifest));
  if (reached) checkComplete(log, reached, folder);
  const newChecksums = await checkTableFiles(folder, tableFiles, signal);
  const tornEdit = manifest.tornAt === undefined ? undefined : { name: current, at: manifest.tornAt };
  return { tornEdit, newChecksums, hasStore: true, log };
}

/**
 * Runs the checks of a start on a folder with data, and returns the warning of that start. Changes no data. A process that has the
 * store open must not call it: it would lose its lock. Errors: StoreError with the fix, if the store cannot be opened.
 */
export async function examineFolder(folder: string): Promise<StoreError | undefined> {
  const mark = await readFormatFile(folder);
  if ((await readdir(folder)).includes(lockFile)) await checkLock(folder);
  // Leftovers of an interrupted first start are not a store.
  return mark.state === 'new' ? undefined : (await checkFolder(folder, mark)).log.warning;
}

/** Checks that no process has a store open, through a link to its lock: in the folder itself, LevelDB would begin another file LOG. */
async function checkLock(folder: string): Promise<void> {
  // Links need a privilege on Windows.
  if (process.platform === 'win32') return checkNotInUse(folder);
  const other = await mkdtemp(join(tmpdir(), 'tabularium-lock-'));
  try {
    await symlink(resolve(folder, lockFile), join(other, lockFile));
    await checkNotInUse(other, folder);
  } finally {
    await removeFile(other);
  }
}

/** Returns the LevelDB logs whose writes are not yet in a table file, oldest first. */
function findLevelLogs(names: readonly string[], { log: oldest }: Manifest): readonly string[] {
  return names
    .filter((name) => /^\d+\.log$/.test(name) && numberOf(name) >= oldest)
    .sort((one, other) => numberOf(one) - numberOf(other));
}

/**
 * Returns the record of the last commit in LevelDB's logs; undefined or null if they do not contain it. They nearly always do: each
 * start and each checkpoint begins a log with it.
 */
async function findReached(folder: string, logs: readonly string[]): Promise<string | null | undefined> {
  for (const name of logs.toReversed()) {
    const reached = newestValue(await readFile(join(folder, name)), commitsKey);
    if (reached !== undefined) return reached;
  }
  return undefined;
}

/** Truncates a torn write at the end of the manifest. */
export async function cutTornEdit(folder: string, { tornEdit }: Pick<FolderFindings, 'tornEdit'>): Promise<void> {
  if (tornEdit) await truncate(join(folder, tornEdit.name), tornEdit.at);
}

/** Deletes the files of a store whose first start was interrupted, so nothing was ever written to it. */
export async function removeUnusedStore(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter(isStoreFile)) await removeFile(join(folder, name));
}

function isStoreFile(name: string): boolean {
  return /^(?:CURRENT|CHECKED|MANIFEST-\d+|COMMITS-\d+|\d+\.(?:log|ldb|sst|dbtmp))$/.test(name);
}

/** Whether a folder without CURRENT has files of a store. A kill during a first start leaves the first manifest, which does not count. */
function hasStoreFiles(names: readonly string[]): boolean {
  const isPart = (name: string) => name === formatFile || /^COMMITS-\d+$|^\d+\.(log|ldb|sst)$/.test(name);
  return names.some((name) => isPart(name) || (/^MANIFEST-/.test(name) && !/^MANIFEST-0*1$/.test(name)));
}

/** Returns the table files of the manifest. Errors: StoreError if one is missing or has another size. */
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

function fileName(number: number, ending: string): string {
  return `${String(number).padStart(6, '0')}.${ending}`;
}

/** A sorted table file of LevelDB, as the manifest lists it. */
interface TableFile {
  readonly name: string;
  /** Unit: bytes. */
  readonly size: number;
}

/**
 * Checks table files in order. Returns the checksums of all files, or undefined if all of them are already on disk. Comparing a known
 * checksum is about five times as fast as checking the blocks of a file.
 *
 * Errors: StoreError for the first damaged file; errors of the file system; the reason of the signal.
 */
export async function checkTableFiles(
  folder: string,
  files: readonly TableFile[],
  signal?: AbortSignal,
): Promise<TableChecksums | undefined> {
  const known = await readTableChecksums(folder);
  const checksums = new Map<string, number>();
  let hasNew = known.size !== files.length;
  // Shared: a buffer per file would leave tens of megabytes of garbage.
  const buffer = Buffer.allocUnsafe(files.reduce((most, { size }) => Math.max(most, size), 0));
  for (const { name, size } of files) {
    const bytes = await read(join(folder, name), buffer.subarray(0, size));
    signal?.throwIfAborted();
    const checksum = crc32(bytes);
    const isKnown = checksum === known.get(name);
    if (bytes.length !== size || !(isKnown || isTableFileValid(bytes)))
      throw damaged(`the file ${name} is damaged`, folder);
    hasNew ||= !isKnown;
    checksums.set(name, checksum);
  }
  return hasNew ? checksums : undefined;
}

/** Reads a file into a buffer. Returns the filled part. */
async function read(path: string, buffer: Buffer): Promise<Buffer> {
  const file = await open(path);
  try {
    let end = 0;
    for (let bytesRead = 1; bytesRead > 0 && end < buffer.length; end += bytesRead) {
      ({ bytesRead } = await file.read(buffer, end));
    }
    return buffer.subarray(0, end);
  } finally {
    await file.close();
  }
}

/** The CRC-32 of whole table files, by name. LevelDB never changes a table file once written. */
type TableChecksums = ReadonlyMap<string, number>;

/** The file with the checksums of valid table files. LevelDB ignores it. */
const checksumFile = 'CHECKED';

/** Reads the checksums of an earlier start; none if the file is missing or unreadable, which only costs time. */
export async function readTableChecksums(folder: string): Promise<TableChecksums> {
  const text = await readFile(join(folder, checksumFile), 'utf8').catch(() => '');
  const lines = text.matchAll(/^([0-9a-f]{8}) (\d+\.(?:ldb|sst))$/gm);
  return new Map([...lines].map(([, checksum = '', name = '']) => [name, Number.parseInt(checksum, 16)]));
}

/** Writes the checksums of valid table files. Errors: those of the file system. */
export async function writeTableChecksums(folder: string, checksums: TableChecksums): Promise<void> {
  const lines = [...checksums].map(([name, checksum]) => `${checksum.toString(16).padStart(8, '0')} ${name}\n`);
  const path = join(folder, checksumFile);
  await writeFile(`${path}.tmp`, lines.join(''));
  await renameFile(`${path}.tmp`, path);
}

/** Length of the footer: the padded handles of two index blocks, and a magic number. Unit: bytes. Source: LevelDB, doc/table_format.md. */
const footerBytes = 48;

/** The last eight bytes of a table file. Source: LevelDB, doc/log_format.md. */
const magic = Buffer.from('57fb808b247547db', 'hex');

/** Position and size of a block. Unit: bytes. */
interface Handle {
  readonly offset: number;
  readonly size: number;
}

/** Whether every block of a table file matches its checksum. LevelDB does not verify them, so a flipped bit would change or hide a row. */
export function isTableFileValid(bytes: Buffer): boolean {
  const footer = bytes.length - footerBytes;
  if (footer < 0 || !bytes.subarray(-magic.length).equals(magic)) return false;
  const [meta, next] = readHandle(bytes, footer);
  const [index] = readHandle(bytes, next);
  const blocks = [meta, index].map((handle) => readBlock(bytes, handle));
  return blocks.every((block) => {
    const handles = block && handlesOf(block);
    return handles?.every((handle) => isBlockValid(bytes, handle));
  });
}

function readHandle(bytes: Buffer, at: number): [handle: Handle, next: number] {
  const [offset, sizeAt] = readVarint(bytes, at);
  const [size, next] = readVarint(bytes, sizeAt);
  return [{ offset, size }, next];
}

/** Whether a block is undamaged. After it come its compression type, one byte that the checksum covers, and the checksum. */
function isBlockValid(bytes: Buffer, { offset, size }: Handle): boolean {
  const end = offset + size + 1;
  if (end + 4 > bytes.length - footerBytes) return false;
  return crc32c(bytes, offset, end) === unmask(bytes.readUInt32LE(end));
}

function readBlock(bytes: Buffer, handle: Handle): Buffer | undefined {
  if (!isBlockValid(bytes, handle)) return undefined;
  const end = handle.offset + handle.size;
  const content = bytes.subarray(handle.offset, end);
  return bytes[end] === 0 ? content : decompressSnappy(content);
}

function handlesOf(block: Buffer): readonly Handle[] | undefined {
  if (block.length < 4) return undefined;
  const restarts = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 * (restarts + 1);
  const handles: Handle[] = [];
  for (let at = 0; at < end; ) {
    const [, keyBytesAt] = readVarint(block, at);
    const [keyBytes, valueBytesAt] = readVarint(block, keyBytesAt);
    const [valueBytes, keyStart] = readVarint(block, valueBytesAt);
    const [handle] = readHandle(block, keyStart + keyBytes);
    handles.push(handle);
    at = keyStart + keyBytes + valueBytes;
  }
  return handles;
}

/** Decompresses a block in Snappy's raw format; undefined if it is invalid. Source: Snappy, format_description.txt. */
export function decompressSnappy(packed: Buffer): Buffer | undefined {
  const [size, start] = readVarint(packed, 0);
  const unpacked = Buffer.alloc(size);
  let to = 0;
  for (let at = start; at < packed.length; ) {
    const tag = packed[at++] ?? 0;
    if ((tag & 3) === 0) {
      const [length, from] = literalAt(packed, at, tag >> 2);
      if (from + length > packed.length || to + length > size) return undefined;
      to += packed.copy(unpacked, to, from, from + length);
      at = from + length;
      continue;
    }
    const [length, distance, next] = copyAt(packed, at, tag);
    if (distance === 0 || distance > to || to + length > size) return undefined;
    // Byte by byte, because a copy may overlap its own output.
    for (const end = to + length; to < end; to++) unpacked[to] = unpacked[to - distance] ?? 0;
    at = next;
  }
  return to === size ? unpacked : undefined;
}

/** Returns length and position of a literal. A length above 60 takes one to four extra bytes. */
function literalAt(packed: Buffer, at: number, lengthLessOne: number): [length: number, from: number] {
  if (lengthLessOne < 60) return [lengthLessOne + 1, at];
  const bytes = lengthLessOne - 59;
  return [at + bytes <= packed.length ? packed.readUIntLE(at, bytes) + 1 : packed.length, at + bytes];
}

/** Returns length and distance of a copy, and the position after it. */
function copyAt(packed: Buffer, at: number, tag: number): [length: number, distance: number, next: number] {
  const bytes = [0, 1, 2, 4][tag & 3] ?? 0;
  if (at + bytes > packed.length) return [0, 0, packed.length];
  const low = packed.readUIntLE(at, bytes);
  if (bytes === 1) return [((tag >> 2) & 7) + 4, ((tag >> 5) << 8) | low, at + 1];
  return [(tag >> 2) + 1, low, at + bytes];
}
