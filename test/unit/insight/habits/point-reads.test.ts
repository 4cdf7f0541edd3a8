import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PointReads } from '../../../../src/insight/habits/point-reads.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

describe('Reads of entities', () => {
  it('are counted for each entity, as texts that are joined would tell them apart', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\n'), maxLength: 3 });
    const entity = fc.tuple(part, part, part, part);
    fc.assert(
      fc.property(fc.array(entity, { maxLength: 4 }), fc.array(fc.nat(), { maxLength: 40 }), (entities, picks) => {
        const reads = new PointReads();
        const expected = new Map<string, number>();
        for (const [at, pick] of picks.entries()) {
          const read = entities[pick % entities.length];
          if (!read) continue;
          const name = JSON.stringify(read);
          expected.set(name, (expected.get(name) ?? 0) + 1);
          expect(reads.count(...read, at, 1000)).toBe(expected.get(name));
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('are counted from one again when their window is over', () => {
    const reads = new PointReads();
    const count = (at: number) => reads.count('account', 'T', 'p', 'r', at, 10);

    expect([count(5), count(14), count(15), count(15)]).toEqual([1, 2, 1, 2]);
    reads.clear();
    expect(count(15)).toBe(1);
  });

  it('of an entity that is read often are counted among many that are read once', () => {
    const reads = new PointReads();
    let counted = 0;
    for (let at = 0; at < 10_000; at++) {
      reads.count('account', 'T', 'p', `${at}`, at, Number.POSITIVE_INFINITY);
      if (at % 50 === 0) counted = reads.count('account', 'T', 'p', 'often', at, Number.POSITIVE_INFINITY);
    }

    expect(counted).toBe(200);
  });
});
