import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMiddle, rangeFilters } from '../../../src/copy/account/key-range.js';
import type { EntityKey } from '../../../src/entity/stored/entity.js';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { propertyReader } from '../../../src/entity/stored/read-property.js';
import { compileFilter } from '../../../src/query/filter/evaluate-filter.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Keys of few characters, so that many are near each other. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', "'", '\u00a0', '\uffee', '😀', '%'), maxLength: 3 });
const key: fc.Arbitrary<EntityKey> = fc.record({ partitionKey: text, rowKey: text });
const isBefore = (one: EntityKey, other: EntityKey) =>
  one.partitionKey < other.partitionKey || (one.partitionKey === other.partitionKey && one.rowKey < other.rowKey);

/** Returns how many filters find a key. */
function finds(filters: readonly string[], one: EntityKey): number {
  const stored = writeEntityText(one, '2026-11-28T10:00:00Z', []);
  return filters.filter((filter) => {
    const parsed = parseFilter(filter);
    return !parsed || compileFilter(parsed, propertyReader)(stored);
  }).length;
}

describe('The ranges of a table', () => {
  it('have each key exactly once, wherever they are cut', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { selector: (one) => JSON.stringify(one), maxLength: 4 }),
        fc.array(key),
        (cuts, keys) => {
          const edges = [undefined, ...cuts.sort((a, b) => (isBefore(a, b) ? -1 : 1)), undefined];
          const filters = edges
            .slice(1)
            .flatMap((before, at) =>
              rangeFilters(edges[at] && { key: edges[at] as EntityKey, isIncluded: true }, before),
            );
          for (const one of [...keys, ...cuts]) expect(finds(filters, one), JSON.stringify(one)).toBe(1);
          for (const filter of filters) expect(filter).not.toMatch(/ or /);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('continue after a key without that key', () => {
    fc.assert(
      fc.property(key, fc.option(key, { nil: undefined }), fc.array(key), (after, before, keys) => {
        fc.pre(before === undefined || isBefore(after, before));
        const filters = rangeFilters({ key: after, isIncluded: false }, before);
        for (const one of [after, ...keys]) {
          const isWithin = isBefore(after, one) && (before === undefined || isBefore(one, before));
          expect(finds(filters, one), JSON.stringify(one)).toBe(isWithin ? 1 : 0);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('The middle of a range', () => {
  const probeOf = (sorted: readonly string[]) => {
    const asked: string[] = [];
    const probe = (atLeast: string) => {
      asked.push(atLeast);
      return Promise.resolve(sorted.find((one) => one >= atLeast));
    };
    return { probe, asked };
  };

  it('is a key after its beginning, found with probes that a URL can have', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), text, async (keys, low) => {
        const sorted = keys.filter((one) => one > low).sort();
        const { probe, asked } = probeOf(sorted);
        const middle = await findMiddle(low, probe);
        if (middle !== undefined) expect(sorted).toContain(middle);
        expect(asked.every((one) => one.isWellFormed())).toBe(true);
        expect(asked.length).toBeLessThan(40);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([
    ['numbers', (at: number) => String(at).padStart(8, '0')],
    ['hexadecimal hashes', (at: number) => (Math.imul(at + 1, 2654435761) >>> 0).toString(16).padStart(8, '0')],
    ['names with a common beginning', (at: number) => `tenant-europe-${String(at).padStart(5, '0')}`],
  ])('leaves at least a twentieth on each side of %s', async (_name, keyAt) => {
    const sorted = Array.from({ length: 10_000 }, (_, at) => keyAt(at)).sort();
    const middle = await findMiddle(sorted[0] ?? '', probeOf(sorted).probe);
    const at = sorted.indexOf(middle ?? '');
    expect(at).toBeGreaterThan(500);
    expect(at).toBeLessThan(9500);
  });
});
