import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { etagOf, writeEntityText } from '../../../src/entity/stored/entity.js';
import { readIfMatch } from '../../../src/operations/if-match.js';
import { instant } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const etagAt = (timestamp: string) => etagOf(writeEntityText({ partitionKey: '', rowKey: '' }, timestamp, []));

/** Generates the tag of an instant, with trailing zeros in the fraction and each colon plain or percent-encoded. */
const tagOf = (timestamp: string) =>
  fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.infiniteStream(fc.constantFrom('%3A', '%3a', ':')))
    .map(([zeros, colons]) => {
      const padding = zeros === 0 ? '' : `${timestamp.includes('.') ? '' : '.'}${'0'.repeat(zeros)}`;
      const written = timestamp.replace('Z', `${padding}Z`);
      return `W/"datetime'${written.replaceAll(':', () => colons.next().value)}'"`;
    });

/** Pairs of instants within two ticks of each other, as ticks after a whole second. A tick is 100 ns. */
const nearTicks = fc
  .tuple(fc.integer({ min: 2, max: 9_999_997 }), fc.integer({ min: -2, max: 2 }))
  .map(([ticks, step]) => [ticks, ticks + step] as const);

const atTicks = (ticks: number) => `2024-02-29T23:59:59.${String(ticks).padStart(7, '0')}Z`.replace(/\.?0+Z$/, 'Z');

describe('a tag', () => {
  it('matches the entity with the same instant, with any number of zeros and any encoding of the colons', () => {
    fc.assert(
      fc.property(
        instant.chain((timestamp) => fc.tuple(fc.constant(timestamp), tagOf(timestamp))),
        ([timestamp, tag]) => {
          expect(readIfMatch(tag, undefined, 'PUT')).toBe(etagAt(timestamp));
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('never matches an entity with another instant', () => {
    fc.assert(
      fc.property(
        fc
          .oneof(
            fc.tuple(instant, instant),
            nearTicks.map(([a, b]) => [atTicks(a), atTicks(b)] as const),
          )
          .chain(([sent, stored]) => fc.tuple(fc.constant(sent), fc.constant(stored), tagOf(sent))),
        ([sent, stored, tag]) => {
          expect(readIfMatch(tag, undefined, 'DELETE') === etagAt(stored)).toBe(sent === stored);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('with more digits than a tick matches no entity', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{7}\d{0,5}[1-9]$/), (fraction) => {
        const tag = `W/"datetime'2024-02-29T23%3A59%3A59.${fraction}Z'"`;
        expect(() => readIfMatch(tag, undefined, 'MERGE')).toThrow('ConditionNotMet');
      }),
    );
  });
});
