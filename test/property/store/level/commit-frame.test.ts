import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeEntityKey, entityPrefix } from '../../../../src/store/level/engine/key-encoding.js';
import {
  changesOf,
  encodeFrame,
  findFrame,
  frameAt,
  frameBytesMax,
  type LoggedCommit,
  syncedOf,
} from '../../../../src/store/level/log/commit-frame.js';
import { readSegments } from '../../../../src/store/level/log/read-segments.js';
import {
  encodeSegmentHeader,
  segmentHeaderBytes,
  segmentName,
} from '../../../../src/store/level/log/segment-header.js';
import { StoreError } from '../../../../src/store/store-error.js';
import { entityKey } from '../../../support/arbitrary/arbitraries.js';
import { makeFolder } from '../../../support/programs/make-folder.js';

const arbitraryKey = entityKey.map((key) => encodeEntityKey(entityPrefix('account', 'id'), key));

const arbitraryChange = fc.record({
  key: fc.oneof(arbitraryKey, fc.constant('')),
  value: fc.option(fc.oneof(fc.constant(''), fc.string({ unit: 'binary' }), fc.json(), fc.constant('x'.repeat(600)))),
});

/** Numbered commits, each with the last one before it that was on disk. */
const arbitraryCommits = fc
  .tuple(
    fc.nat(2 ** 40),
    fc.array(fc.tuple(fc.array(arbitraryChange, { maxLength: 5 }), fc.nat(3)), { minLength: 1, maxLength: 6 }),
  )
  .map(([before, all]) => {
    let synced = before;
    return all.map(([changes, lag], at) => {
      const number = before + at + 1;
      synced = Math.max(synced, number - 1 - lag);
      return { number, synced, changes };
    });
  });

function encode(commits: readonly LoggedCommit[]): Buffer {
  return Buffer.concat(
    commits.map((commit) => {
      const buffer = Buffer.alloc(frameBytesMax(commit.changes), 0xaa);
      return Buffer.from(buffer.subarray(0, encodeFrame(buffer, commit)));
    }),
  );
}

/** Returns a segment with commits. */
function segmentOf(number: number, commits: readonly LoggedCommit[], proved?: number): Buffer {
  const before = (commits[0]?.number ?? 1) - 1;
  return Buffer.concat([encodeSegmentHeader({ number, first: before + 1, proved: proved ?? before }), encode(commits)]);
}

const plain = (commits: Iterable<LoggedCommit>) => Array.from(commits, ({ number, changes }) => ({ number, changes }));

/** A share of the length of a file. */
const arbitraryShare = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the frames of commits', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(arbitraryCommits, (commits) => {
        const bytes = encode(commits);
        const read: LoggedCommit[] = [];
        for (let frame = frameAt(bytes, 0); frame; frame = frameAt(bytes, frame.end)) {
          const { number } = frame;
          read.push({ number, synced: syncedOf(bytes, frame), changes: changesOf(bytes, frame) });
        }
        expect(read).toEqual(commits);
      }),
    );
  });

  it('are found behind anything', () => {
    fc.assert(
      fc.property(arbitraryCommits, fc.uint8Array({ maxLength: 50 }), ([commit], before) => {
        if (!commit) return;
        fc.pre(!Buffer.from(before).includes(0xff));
        const bytes = Buffer.concat([before, encode([commit])]);
        expect(findFrame(bytes, 0)).toEqual({ at: before.length, end: bytes.length, number: commit.number });
      }),
    );
  });
});

describe('the segments of a log', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await makeFolder();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Reads segments with these contents, the first of which has the number 1. Returns the commits, or the message of the rejection. */
  async function read(...contents: readonly Buffer[]) {
    rmSync(folder, { recursive: true });
    folder = await makeFolder();
    for (const [at, bytes] of contents.entries()) writeFileSync(join(folder, segmentName(at + 1)), bytes);
    try {
      const { commits, last, warning } = await readSegments(folder, 'here');
      return { commits: plain(commits()), last, warns: warning !== undefined };
    } catch (error) {
      if (error instanceof StoreError) return error.message;
      throw error;
    }
  }

  it('are read in their order', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommits, arbitraryShare, async (commits, share) => {
        const cut = Math.floor(share * commits.length);
        const rest = commits.slice(cut);
        expect(
          await read(segmentOf(1, commits.slice(0, cut)), segmentOf(2, rest, (commits[0]?.number ?? 1) - 1)),
        ).toEqual({
          ...{ commits: plain(cut === 0 ? rest : commits), last: commits.at(-1)?.number, warns: false },
        });
      }),
      { numRuns: 30 },
    );
  });

  it('are read up to the last whole frame if the last one ends or turns into zeros at any byte, unless the disk had more', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommits, arbitraryShare, fc.nat(300), async (commits, share, zeros) => {
        const bytes = segmentOf(1, commits);
        const kept = segmentHeaderBytes + Math.floor(share * (bytes.length - segmentHeaderBytes));
        const torn = Buffer.concat([bytes.subarray(0, kept), Buffer.alloc(zeros)]);
        const whole = commits.filter((_, at) => torn.indexOf(encode(commits.slice(0, at + 1))) === segmentHeaderBytes);
        const end = segmentHeaderBytes + encode(whole).length;
        expect(await read(torn)).toEqual({
          commits: plain(whole),
          last: whole.at(-1)?.number ?? (commits[0]?.number ?? 1) - 1,
          warns: torn.length > end,
        });
      }),
      { numRuns: 60 },
    );
  });

  it('are rejected with the byte if a bit of a frame is flipped that a later one knew on disk, and else read up to there', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommits, arbitraryShare, async (commits, share) => {
        const bytes = segmentOf(1, commits);
        const bit = 8 * segmentHeaderBytes + Math.floor(share * (bytes.length - segmentHeaderBytes) * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const whole = commits.filter(
          (_, at) => segmentHeaderBytes + encode(commits.slice(0, at + 1)).length <= bit >> 3,
        );
        const [faulty, ...later] = commits.slice(whole.length);
        const isKnown = later.some(({ synced }) => synced >= (faulty?.number ?? 0));
        const at = segmentHeaderBytes + encode(whole).length;
        expect(await read(bytes)).toEqual(
          isKnown
            ? `The data in here is damaged: the file ${segmentName(1)} is damaged at byte ${at}. Nothing was changed. Restore a copy of the folder.`
            : { commits: plain(whole), last: (faulty?.number ?? 0) - 1, warns: true },
        );
      }),
      { numRuns: 60 },
    );
  });

  const commit = (number: number, synced: number): LoggedCommit => ({
    number,
    synced,
    changes: [{ key: `k${number}`, value: '1' }],
  });
  const header = (number: number, first: number, proved = 0) => encodeSegmentHeader({ number, first, proved });

  it('leave out what a power failure left behind a gap, and later starts read what came after', async () => {
    const older = [commit(1, 0), commit(2, 1)];
    const lost = [commit(3, 1), commit(4, 1)];
    const gap = Buffer.concat([segmentOf(1, older), Buffer.alloc(70)]);
    const stray = Buffer.concat([header(2, 4), encode(lost.slice(1))]);
    expect(await read(gap, stray)).toEqual({ commits: plain(older), last: 2, warns: true });
    const newer = [commit(3, 2), commit(4, 3)];
    const all = await read(gap, stray, Buffer.concat([header(3, 3), encode(newer)]));
    expect(all).toEqual({ commits: plain([...older, ...newer]), last: 4, warns: false });
  });

  it('do not need what LevelDB has proved', async () => {
    const broken = Buffer.concat([header(1, 1), encode([commit(1, 0)]), Buffer.alloc(50), encode([commit(3, 2)])]);
    const newer = Buffer.concat([header(2, 4, 3), encode([commit(4, 3)])]);
    expect(await read(broken, newer)).toEqual({ commits: plain([commit(4, 3)]), last: 4, warns: false });
  });

  it('do not show a commit that was rejected after it was written', async () => {
    const rejected = Buffer.concat([header(1, 1), encode([commit(1, 0), commit(2, 1)])]);
    expect(await read(rejected, header(2, 2))).toEqual({ commits: plain([commit(1, 0)]), last: 1, warns: false });
  });

  it('are rejected if they are swapped, and one that is there twice does not count', async () => {
    const older = segmentOf(1, [commit(1, 0)]);
    const newer = segmentOf(2, [commit(2, 1)]);
    expect(await read(newer, older)).toMatch(/damaged at byte 0\./);
    expect(await read(older, older)).toEqual({ commits: plain([commit(1, 0)]), last: 1, warns: true });
  });

  it('may end with one that was not begun', async () => {
    const whole = segmentOf(1, [commit(1, 0)]);
    for (const rest of [Buffer.alloc(0), header(2, 2).subarray(0, 20), Buffer.alloc(100)]) {
      expect(await read(whole, rest)).toMatchObject({ commits: plain([commit(1, 0)]), last: 1 });
    }
  });
});
