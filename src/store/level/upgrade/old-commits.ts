import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isTornWrite } from '../check/leveldb/torn-write.js';
import type { Engine } from '../engine/engine.js';
import { commitsKey, formatKey } from '../engine/key-encoding.js';
import { damaged } from '../explain-failure.js';
import { changesOf, type Frame, frameAt, type LoggedCommit } from '../log/commit-frame.js';
import { prepareBatches } from '../log/write-batches.js';

/** The files of the log before it had segments. */
export const oldCommitFiles = ['COMMITS-1', 'COMMITS-2'] as const;

/** The reversed polynomial of CRC-32. Source: RFC 1952, section 8. */
const polynomial = 0xedb88320;

/** Length of the head of a frame. Unit: bytes. */
const headBytes = 12;

/** What an old file of the log contains. */
export interface OldCommits {
  readonly commits: readonly LoggedCommit[];
  /** Position of the end of the last whole frame. Unit: bytes. */
  readonly end: number;
  /** What follows: nothing, a write that was cut off, or damaged bytes. */
  readonly rest: 'nothing' | 'torn' | 'damaged';
}

/** Reads an old file of the log up to the first fault. */
export function decodeOldCommits(bytes: Buffer): OldCommits {
  const commits: LoggedCommit[] = [];
  let end = 0;
  for (let frame = frameAt(bytes, end); frame; frame = frameAt(bytes, end)) {
    commits.push({ number: frame.number, changes: changesOf(bytes, frame, false) });
    end = frame.end;
  }
  if (end === bytes.length) return { commits, end, rest: 'nothing' };
  return { commits, end, rest: isTorn(bytes, end) ? 'torn' : 'damaged' };
}

/** Whether the frame at a position is a torn write rather than damage. */
function isTorn(bytes: Buffer, at: number): boolean {
  const contentAt = at + headBytes;
  const end = contentAt <= bytes.length ? contentAt + bytes.readUInt32LE(at + 4) : contentAt;
  const mismatch = (to: number) => crc32(bytes.subarray(contentAt, to)) ^ bytes.readUInt32LE(at + 8);
  const isWhole = (all: Buffer, from: number): Frame | undefined => frameAt(all, from);
  return isTornWrite(bytes, {
    ...{ at, contentAt, end, polynomial, mismatch },
    isWhole: (all, from) => isWhole(all, from) !== undefined,
  });
}

/**
 * Gives an open engine the commits of an old log, which may be replayed twice. Returns the number of the last commit. Formats 1 to 3
 * have none. In format 4, newer changes may have gone to the engine directly; later the log had everything.
 *
 * Errors: StoreError if commits are missing.
 */
export async function replayOldCommits(engine: Engine, folder: string, location: string): Promise<number> {
  const last = Number(engine.getSync(commitsKey) ?? 0);
  const format = Number(engine.getSync(formatKey));
  if (format < 4) return last;
  const files = await Promise.all(oldCommitFiles.map((name) => readFile(join(folder, name)).catch(ifMissing)));
  const commits = files
    .flatMap((bytes) => (bytes ? decodeOldCommits(bytes).commits : []))
    .sort((one, other) => one.number - other.number);
  const replayed = format === 4 ? commits.filter(({ number }) => number > last) : commits;
  const first = Math.min(last + 1, replayed[0]?.number ?? last + 1);
  const gap = replayed.findIndex(({ number }, at) => number !== first + at);
  if (gap >= 0) {
    const remedy = `emptying ${oldCommitFiles.join(' and ')} loses only the writes in them`;
    throw damaged(`commits before number ${replayed[gap]?.number} are missing in the log (${remedy})`, location);
  }
  const newest = Math.max(last, replayed.at(-1)?.number ?? last);
  const changes = replayed.flatMap((commit) => commit.changes.map(({ key, value }) => [key, value] as const));
  await prepareBatches(engine, changes, newest)();
  return newest;
}

function ifMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
