import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lognormal, seededRandom } from '../../../src/faults/rules/seeded-random.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('The numbers of a seed', () => {
  it('are from 0, less than 1, and the same each time', () => {
    fc.assert(
      fc.property(seed, fc.nat(), (one, position) => {
        const number = seededRandom(one, position);
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThan(1);
        expect(seededRandom(one, position)).toBe(number);
      }),
      { numRuns: runs(300) },
    );
  });

  it('are spread evenly: each tenth has its share of ten thousand', () => {
    fc.assert(
      fc.property(seed, (one) => {
        const counts = new Array<number>(10).fill(0);
        for (let at = 0; at < 10_000; at++) {
          const tenth = Math.floor(seededRandom(one, at) * 10);
          counts[tenth] = (counts[tenth] ?? 0) + 1;
        }
        // A share is 1,000 with a deviation of 30; seven deviations are left to chance.
        for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(210);
      }),
      { numRuns: runs(20) },
    );
  });

  it('make lognormal times that are positive, half of them below the median', () => {
    fc.assert(
      fc.property(seed, fc.double({ min: 0.1, max: 2, noNaN: true }), (one, sigma) => {
        let below = 0;
        for (let at = 0; at < 2000; at += 2) {
          const time = lognormal(20, sigma, seededRandom(one, at), seededRandom(one, at + 1));
          expect(time).toBeGreaterThan(0);
          if (time < 20) below++;
        }
        expect(Math.abs(below - 500)).toBeLessThan(120);
      }),
      { numRuns: runs(20) },
    );
  });
});
