import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeEntityKey, entityPrefix } from '../../../../src/store/level/engine/key-encoding.js';
import {
  commitBytesMax,
  decodeCommits,
  encodeCommit,
  type LoggedCommit,
} from '../../../../src/store/level/log/commit-record.js';
import { entityKey } from '../../../support/arbitraries.js';

const arbitraryKey = entityKey.map((key) => encodeEntityKey(entityPrefix('account', 'id'), key));

const arbitraryChange = fc.record({
  key: fc.oneof(arbitraryKey, fc.constant('')),
  value: fc.option(fc.oneof(fc.constant(''), fc.string({ unit: 'binary' }), fc.json(), fc.constant('x'.repeat(600)))),
});

/** Numbered commits, as a file of the log has them. */
const arbitraryCommits = fc
  .tuple(fc.nat(2 ** 40), fc.array(fc.array(arbitraryChange, { maxLength: 5 }), { minLength: 1, maxLength: 6 }))
  .map(([before, all]): LoggedCommit[] => all.map((changes, at) => ({ number: before + at + 1, changes })));

function encode(commits: readonly LoggedCommit[]): Buffer {
  return Buffer.concat(
    commits.map((commit) => {
      const buffer = Buffer.alloc(commitBytesMax(commit.changes), 0xaa);
      return buffer.subarray(0, encodeCommit(buffer, commit));
    }),
  );
}

function isStartOf(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

/** A share of the length of a file. */
const arbitraryShare = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the records of commits', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(arbitraryCommits, (commits) => {
        const bytes = encode(commits);
        expect(decodeCommits(bytes)).toEqual({ commits, end: bytes.length, rest: 'nothing' });
      }),
    );
  });

  it('are read up to the last whole one if the file ends or turns into zeros at any byte', () => {
    fc.assert(
      fc.property(arbitraryCommits, arbitraryShare, fc.nat(1024), (commits, share, zeros) => {
        const bytes = encode(commits);
        const kept = bytes.subarray(0, Math.floor(share * bytes.length));
        const torn = Buffer.concat([kept, Buffer.alloc(zeros)]);
        // Zeros may stand where the lost bytes were zeros too.
        const whole = commits.filter((_, at) => isStartOf(torn, encode(commits.slice(0, at + 1))));
        const end = encode(whole).length;
        expect(decodeCommits(torn)).toEqual({ commits: whole, end, rest: torn.length === end ? 'nothing' : 'torn' });
      }),
    );
  });

  it('are damaged, and read up to the fault, if a bit is flipped', () => {
    fc.assert(
      fc.property(arbitraryCommits, arbitraryShare, (commits, share) => {
        const bytes = encode(commits);
        const bit = Math.floor(share * bytes.length * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        // A last bit that becomes zero looks like a torn write.
        fc.pre(bytes.subarray(bit >> 3).some((byte) => byte !== 0));
        const whole = commits.filter((_, at) => encode(commits.slice(0, at + 1)).length <= bit >> 3);
        expect(decodeCommits(bytes)).toEqual({ commits: whole, end: encode(whole).length, rest: 'damaged' });
      }),
    );
  });
});
