import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readDuration } from '../../../src/duration.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

it('A duration is a number and a unit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9999 }),
      fc.constantFrom('ms', 's', 'm', 'h', 'd' as const),
      (count, unit) => {
        expect(readDuration(`${count}${unit}`)).toBe(count * units[unit]);
        expect(readDuration(`${count}.5${unit}`)).toBe(Math.round((count + 0.5) * units[unit]));
      },
    ),
    { numRuns: runs(200) },
  );
});

it.each(['', '5', 's', '-1s', '1 s', '1y', '1e3s', '10001d', '٣s'])('%j is not a duration', (text) => {
  expect(readDuration(text)).toBeUndefined();
});
