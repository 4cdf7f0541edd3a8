import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TokenBucket } from '../../../src/faults/effects/throttle.js';
import { runs } from '../../support/arbitrary/property-runs.js';

it('A bucket gives no more than its capacity, its rate and the last request allow', () => {
  const request = fc.record({ afterMs: fc.nat(2000), tokens: fc.integer({ min: 1, max: 50 }) });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 100 }),
      fc.array(request, { maxLength: 100 }),
      (rate, capacity, requests) => {
        const bucket = new TokenBucket(rate, capacity, 0);
        let now = 0;
        let taken = 0;
        for (const { afterMs, tokens } of requests) {
          now += afterMs;
          if (bucket.isEmpty(now)) {
            expect(taken).toBeGreaterThan(0);
            continue;
          }
          // A token was there, so what was taken before is within the rate.
          expect(taken).toBeLessThanOrEqual(capacity + (rate * now) / 1000 - 1 + 1e-6);
          bucket.take(tokens, now);
          taken += tokens;
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

it('A bucket that was not used is full again, and never fuller', () => {
  const bucket = new TokenBucket(10, 5, 0);
  bucket.take(5, 0);
  expect(bucket.isEmpty(99)).toBe(true);
  expect(bucket.isEmpty(100)).toBe(false);
  bucket.take(5, 1_000_000);
  expect(bucket.isEmpty(1_000_000)).toBe(true);
});
