import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../store-error.js';
import { damaged } from '../explain-failure.js';
import { changesOf, type Frame, findFrame, frameAt, type LoggedCommit, syncedOf } from './commit-frame.js';
import {
  decodeSegmentHeader,
  type SegmentHeader,
  segmentHeaderBytes,
  segmentName,
  segmentNumber,
} from './segment-header.js';

/** The content of a log at a start. */
export interface StoredLog {
  /** The valid segments, oldest first. */
  readonly files: readonly SegmentFile[];
  /** Segments that a deletion has left over. */
  readonly leftovers: readonly string[];
  /** The number of the first possible commit in the segments. LevelDB has proved earlier ones. */
  readonly first: number;
  readonly last: number;
  /** The number of the last proved commit, as of the newest segment. */
  readonly proved: number;
  /** A warning to report, if commits were dropped. */
  readonly warning: StoreError | undefined;
  commits(): Iterable<LoggedCommit>;
}

/** The log of a new folder. */
export const emptyLog: StoredLog = {
  ...{ files: [], leftovers: [], first: 1, last: 0, proved: 0, warning: undefined },
  commits: () => [],
};

/** The file of a segment. */
export interface SegmentFile {
  readonly name: string;
  readonly number: number;
  /** Unit: bytes. */
  readonly bytes: number;
  readonly last: number;
  /** Whether its header, with the number of its first commit, is on disk. */
  readonly isBegun: boolean;
}

interface Segment {
  readonly name: string;
  readonly number: number;
  readonly bytes: Buffer;
  /** Undefined if it is incomplete. */
  readonly header: SegmentHeader | undefined;
  /** The frames up to the first fault. */
  readonly frames: readonly Frame[];
  /** Whole frames after the fault. */
  readonly later: readonly Frame[];
  /** The position of the first fault, or the end. Unit: bytes. */
  readonly end: number;
}

/**
 * Reads the segments of a log in a folder. Changes nothing. `location` names the data in messages.
 *
 * Reading stops at the first fault: an incomplete frame, or one with an unexpected number. If the other frames prove that it was on disk,
 * it is damage. Otherwise the write was torn, or the system wrote later blocks first before a power failure: the commits from there on
 * are dropped.
 *
 * Errors: StoreError if commits that were on disk are damaged or missing.
 */
export async function readSegments(folder: string, location: string): Promise<StoredLog> {
  const { segments, leftovers } = await findSegments(folder);
  const [oldest] = segments;
  const proved = provedIn(segments);
  if (!oldest) throw damaged('its files COMMITS-… are missing', location);
  if (proved < 0) throw damaged(`the file ${oldest.name} is damaged at byte 0`, location);
  const all = segments.flatMap((segment) => [...segment.frames, ...segment.later].map((frame) => ({ segment, frame })));
  const onDisk = Math.max(proved, ...all.map(({ segment, frame }) => syncedOf(segment.bytes, frame)));
  const kept: { readonly segment: Segment; readonly frame: Frame }[] = [];
  const first = oldest.header?.first ?? proved + 1;
  // Skips earlier commits: some of them alone would bring old values back.
  let next = Math.max(first, proved + 1);
  let warning: StoreError | undefined;
  for (const [at, segment] of segments.entries()) {
    const { header, frames, bytes, end, name } = segment;
    const until = firstAfter(segments, at);
    if (header && header.first > next && header.first <= proved + 1) next = header.first;
    const own = frames.filter(({ number }) => number >= next && number < until);
    const broken = own.findIndex(({ number }, index) => number !== next + index);
    kept.push(...own.slice(0, broken < 0 ? undefined : broken).map((frame) => ({ segment, frame })));
    next += broken < 0 ? own.length : broken;
    const isWhole = next === until || (until === Number.POSITIVE_INFINITY && end === bytes.length && broken < 0);
    const following = segments[at + 1];
    const isFaultLater = broken < 0 && end === bytes.length && following && !following.header;
    // Proved commits may be missing.
    if (isWhole || isFaultLater || until <= proved + 1) continue;
    const fault = broken < 0 ? end : (own[broken]?.at ?? end);
    if (next <= onDisk) throw damaged(`the file ${name} is damaged at byte ${fault}`, location);
    const after = new Set(segments.slice(at));
    const left = all.filter(({ segment: its, frame }) => after.has(its) && frame.number >= next).length;
    warning = tornWrite(join(folder, name), bytes.length - fault, left);
    break;
  }
  const last = Math.max(next - 1, proved);
  return {
    files: segments.map(({ name, number, bytes, header, frames }) => ({
      ...{ name, number, bytes: bytes.length, last: Math.min(frames.at(-1)?.number ?? 0, last) },
      isBegun: header !== undefined,
    })),
    ...{ leftovers, first, last, proved, warning },
    *commits() {
      for (const { segment, frame } of kept) {
        const { bytes } = segment;
        yield { number: frame.number, synced: syncedOf(bytes, frame), changes: changesOf(bytes, frame) };
      }
    },
  };
}

/**
 * Returns the valid segments, oldest first. Those below a gap in the numbers are left over from a deletion, unless a failed sync has lost
 * the name of a segment but not later ones. Then the newest segments may be empty, and one without commits may be missing.
 */
async function findSegments(folder: string): Promise<{ segments: readonly Segment[]; leftovers: readonly string[] }> {
  const numbers = (await readdir(folder))
    .flatMap((name) => segmentNumber(name) ?? [])
    .sort((one, other) => other - one);
  const leftovers: string[] = [];
  let segments: Segment[] = [];
  for (const [at, number] of numbers.entries()) {
    const segment = await readSegment(folder, number);
    const [next] = segments;
    if (next && next.number !== number + 1) {
      if (segments.every(hasNothing)) leftovers.push(...segments.splice(0).map(({ name }) => name));
      else if (!isContinued(segment, segments)) {
        leftovers.push(...numbers.slice(at).map(segmentName));
        break;
      }
    }
    segments = [segment, ...segments];
  }
  return { segments, leftovers };
}

/** Whether at most a part of its header was on disk. */
function hasNothing({ header, bytes }: Segment): boolean {
  return !header && bytes.length <= segmentHeaderBytes;
}

/** Whether later segments need and continue the commits of an older one. */
function isContinued({ header, frames }: Segment, later: readonly Segment[]): boolean {
  const first = later[0]?.header?.first ?? 0;
  const last = frames.at(-1)?.number ?? (header?.first ?? 0) - 1;
  return provedIn(later) + 1 < first && first <= last + 1;
}

/** Returns the number of the last proved commit, as of segments; -1 if they do not contain it. */
function provedIn(segments: readonly Segment[]): number {
  return Math.max(-1, ...segments.map(({ header }) => header?.proved ?? -1));
}

/** Returns the number of the first commit after a segment. After a start that dropped commits, a later segment begins with a lower one. */
function firstAfter(segments: readonly Segment[], at: number): number {
  const firsts = segments.slice(at + 1).map(({ header }) => header?.first ?? Number.POSITIVE_INFINITY);
  return Math.min(Number.POSITIVE_INFINITY, ...firsts);
}

async function readSegment(folder: string, number: number): Promise<Segment> {
  const name = segmentName(number);
  const bytes = await readFile(join(folder, name));
  const header = decodeSegmentHeader(bytes, number);
  const frames: Frame[] = [];
  let end = header ? segmentHeaderBytes : 0;
  for (let frame = header && frameAt(bytes, end); frame; frame = frameAt(bytes, end)) {
    frames.push(frame);
    end = frame.end;
  }
  const later: Frame[] = [];
  for (let frame = findFrame(bytes, end); frame; frame = findFrame(bytes, frame.end)) later.push(frame);
  return { name, number, bytes, header, frames, later, end };
}

function tornWrite(path: string, bytes: number, commits: number): StoreError {
  const fault =
    commits === 0
      ? `The file ${path} ended within a write, whose ${bytes} bytes were left out.`
      : `The file ${path} has a gap after which ${commits} whole ${commits === 1 ? 'write was' : 'writes were'} left out.`;
  return new StoreError(
    'torn-write',
    fault,
    'A killed process, a full disk or a power failure causes this. With --durability fsync nothing that was acknowledged is lost; ' +
      'with os a power failure can cost about the last second.',
  );
}
