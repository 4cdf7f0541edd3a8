import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { Level } from 'level';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decompressSnappy, isTableFileValid } from '../../../../../src/store/level/check/check-folder.js';
import { crc32c, unmask } from '../../../../../src/store/level/check/leveldb/encoding.js';
import { readLog, readManifest } from '../../../../../src/store/level/check/leveldb/read-manifest.js';
import { runs } from '../../../../support/arbitrary/property-runs.js';
import { fileOf, filesOf, fillFolder } from '../../../../support/programs/data-folder.js';
import { makeFolder } from '../../../../support/programs/make-folder.js';

let location: string;
let folder: string;
let log: Buffer;
let tables: readonly Buffer[];
beforeAll(async () => {
  location = await makeFolder();
  folder = await fillFolder(location);
  log = await writeLevelLog(join(location, 'level'));
  tables = filesOf(folder, /\.ldb$/).map((path) => readFileSync(path));
});
afterAll(() => rm(location, { recursive: true }));

/** Makes a LevelDB whose log has a hundred batches of ten rows. Returns the log. */
async function writeLevelLog(path: string): Promise<Buffer> {
  const level = new Level<string, string>(path);
  for (let batch = 0; batch < 100; batch++) {
    const rows = Array.from({ length: 10 }, (_, at) => ({
      type: 'put' as const,
      key: `${batch}/${at}`,
      value: 'v'.repeat(60),
    }));
    await level.batch(rows);
  }
  await level.close();
  return readFileSync(fileOf(path, /\.log$/));
}

/** Generates the index of a bit of a file. */
const bitOf = (bytes: Buffer) => fc.nat(8 * bytes.length - 1);

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

/** Expects some records to be the first of all records. */
function expectFirstOf(all: readonly Buffer[], some: readonly Buffer[]): void {
  expect(some.length).toBeLessThan(all.length);
  expect(some.every((record, at) => record.equals(all[at] ?? Buffer.alloc(0)))).toBe(true);
}

describe('the checksum of LevelDB', () => {
  // Source: RFC 3720, appendix B.4.
  it.each([
    ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
    ['32 times 0xff', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['0 to 31', Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)), 0x46dd794e],
    ['the digits', Buffer.from('123456789'), 0xe3069283],
  ])('is CRC-32C: of %s', (_, bytes, sum) => {
    expect(crc32c(bytes, 0, bytes.length)).toBe(sum);
  });

  it('covers any part of a buffer', () => {
    const digits = Buffer.from('0123456789abc');
    expect(crc32c(digits, 1, 10)).toBe(0xe3069283);
    expect(crc32c(digits, 3, 3)).toBe(0);
  });

  it('is stored rotated and shifted', () => {
    // Source: LevelDB, util/crc32c.h.
    const mask = (sum: number) => ((((sum >>> 15) | (sum << 17)) >>> 0) + 0xa282ead8) >>> 0;
    for (const sum of [0, 1, 0xe3069283, 0xffffffff]) expect(unmask(mask(sum))).toBe(sum);
  });
});

describe('a block compressed with Snappy', () => {
  it('is decompressed: literals, near and far copies, and a copy that overlaps itself', () => {
    const text = (hex: string) => decompressSnappy(Buffer.from(hex, 'hex'))?.toString();
    expect(text('0308616263')).toBe('abc');
    // A literal 'ab', then ten characters copied from two characters before.
    expect(text('0c046162260200')).toBe('abababababab');
    expect(text('06086162630103')).toBeUndefined();
    expect(text('07086162630103')).toBe('abcabca');
  });

  it('is rejected if its length is wrong', () => {
    for (const hex of ['0408616263', '0208616263', '03086162', '0c046162260300', '05f0']) {
      expect(decompressSnappy(Buffer.from(hex, 'hex'))).toBeUndefined();
    }
  });
});

describe('a log of LevelDB', () => {
  it('is read to its end', () => {
    const { records, end, rest } = readLog(log);
    expect(records.length).toBeGreaterThanOrEqual(100);
    expect({ end, rest }).toEqual({ end: log.length, rest: 'nothing' });
  });

  it('returns its whole records if it was truncated anywhere, and reports a truncated write', () => {
    const { records } = readLog(log);
    fc.assert(
      fc.property(fc.nat(log.length - 1), (length) => {
        const cut = readLog(log.subarray(0, length));
        expectFirstOf(records, cut.records);
        // Up to six bytes after the last record of a block are unused.
        expect(cut.rest).toBe(length - cut.end < 7 && isFree(cut.end, length) ? 'nothing' : 'torn');
      }),
    );
  });

  /** Checks whether the bytes are too few for a header at the end of a block, or none. */
  const isFree = (from: number, to: number) => to === from || 32_768 - (from % 32_768) < 7;

  it('returns its whole records if it turns into zeros at any byte, whatever its length', () => {
    const { records } = readLog(log);
    fc.assert(
      fc.property(fc.nat(log.length - 2), fc.boolean(), fc.nat(70_000), (kept, keepsLength, more) => {
        const zeros = keepsLength ? log.length - kept : 1 + more;
        const { records: some, rest, end } = readLog(Buffer.concat([log.subarray(0, kept), Buffer.alloc(zeros)]));
        expectFirstOf(records, some);
        expect(end).toBeLessThanOrEqual(kept + zeros);
        expect(rest).toBe(isFree(end, kept + zeros) ? 'nothing' : 'torn');
      }),
      { numRuns: runs(300) },
    );
  });

  it('is damaged by one flipped bit, and returns only the records before it', () => {
    const { records } = readLog(log);
    fc.assert(
      fc.property(bitOf(log), (bit) => {
        const { records: some, rest, end } = readLog(flipped(log, bit));
        expect(rest).toBe('damaged');
        expect(end).toBeLessThanOrEqual(bit >> 3);
        expectFirstOf(records, some);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a manifest of LevelDB', () => {
  it('contains the table files with their sizes, and the log', () => {
    const manifest = readManifest(readFileSync(fileOf(folder, /^MANIFEST-/)));
    const sizes = [...(manifest?.tableFiles ?? [])].map(([number, size]) => [
      `${String(number).padStart(6, '0')}.ldb`,
      size,
    ]);
    const found = filesOf(folder, /\.ldb$/).map((path) => [basename(path), readFileSync(path).length]);
    expect(sizes.length).toBeGreaterThan(0);
    expect(new Map(sizes as [string, number][])).toEqual(new Map(found as [string, number][]));
    expect(fileOf(folder, /\.log$/)).toBe(join(folder, `${String(manifest?.log).padStart(6, '0')}.log`));
  });

  it('is read up to its last whole edit if it ends or turns into zeros at any byte', () => {
    const bytes = readFileSync(fileOf(folder, /^MANIFEST-/));
    const { records } = readLog(bytes);
    const [first = Buffer.alloc(0)] = records;
    for (let kept = first.length + 7; kept < bytes.length; kept++) {
      const start = bytes.subarray(0, kept);
      for (const torn of [start, Buffer.concat([start, Buffer.alloc(bytes.length - kept)])]) {
        const { records: some, rest, end } = readLog(torn);
        expect(some.every((record, at) => record.equals(records[at] ?? Buffer.alloc(0)))).toBe(true);
        expect(rest).toBe(end === torn.length ? 'nothing' : 'torn');
        expect(readManifest(torn)?.tornAt).toBe(end === torn.length ? undefined : end);
      }
    }
  });

  it('is not accepted with one flipped bit', () => {
    const bytes = readFileSync(fileOf(folder, /^MANIFEST-/));
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const damaged = flipped(bytes, bit);
      // A last bit that becomes zero looks like a torn write.
      if (damaged.subarray(bit >> 3).some((byte) => byte !== 0)) expect(readManifest(damaged)).toBeUndefined();
    }
  });

  it('is not accepted if it is empty or something else', () => {
    expect(readManifest(Buffer.alloc(0))).toBeUndefined();
    expect(readManifest(Buffer.from('this is not a manifest'))).toBeUndefined();
  });
});

describe('a table file of LevelDB', () => {
  it('is valid as it was written', () => {
    expect(tables.length).toBeGreaterThan(0);
    for (const table of tables) expect(isTableFileValid(table)).toBe(true);
  });

  it('is not valid with one flipped bit, except in padding', () => {
    const [table = Buffer.alloc(0)] = tables;
    // The two handles in front of the magic number are padded to 40 bytes.
    const padding = { from: table.length - 48 + 4, to: table.length - 8 };
    fc.assert(
      fc.property(bitOf(table), (bit) => {
        const byte = bit >> 3;
        fc.pre(byte < padding.from || byte >= padding.to);
        expect(isTableFileValid(flipped(table, bit))).toBe(false);
      }),
      { numRuns: runs(300) },
    );
  });

  it('is not valid if it was truncated', () => {
    const [table = Buffer.alloc(0)] = tables;
    for (const length of [0, 1, 47, 48, 100, table.length - 1]) {
      expect(isTableFileValid(table.subarray(0, length))).toBe(false);
    }
  });
});
