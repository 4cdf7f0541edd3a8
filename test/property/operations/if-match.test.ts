import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { etagOf, writeEntityText } from '../../../src/entity/entity.js';
import { readIfMatch } from '../../../src/operations/if-match.js';
import { instant } from '../../support/arbitraries.js';

const etagAt = (timestamp: string) => etagOf(writeEntityText({ partitionKey: '', rowKey: '' }, timestamp, []));

/** One of the ways to write the tag of an instant: more zeros in the fraction, and each colon in one of its forms. */
const tagOf = (timestamp: string) =>
  fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.infiniteStream(fc.constantFrom('%3A', '%3a', ':')))
    .map(([zeros, colons]) => {
      const padding = zeros === 0 ? '' : `${timestamp.includes('.') ? '' : '.'}${'0'.repeat(zeros)}`;
      const written = timestamp.replace('Z', `${padding}Z`);
      return `W/"datetime'${written.replaceAll(':', () => colons.next().value)}'"`;
    });

/** A few values within two ticks of each other, as the number of ticks after a whole second. */
const nearTicks = fc
  .tuple(fc.integer({ min: 2, max: 9_999_997 }), fc.integer({ min: -2, max: 2 }))
  .map(([ticks, step]) => [ticks, ticks + step] as const);

const atTicks = (ticks: number) => `2024-02-29T23:59:59.${String(ticks).padStart(7, '0')}Z`.replace(/\.?0+Z$/, 'Z');

describe('a tag', () => {
  it('matches the entity of its instant, with any number of zeros and each colon in either case', () => {
    fc.assert(
      fc.property(
        instant.chain((timestamp) => fc.tuple(fc.constant(timestamp), tagOf(timestamp))),
        ([timestamp, tag]) => {
          expect(readIfMatch(tag, undefined, 'PUT')).toBe(etagAt(timestamp));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('matches an entity of another instant never', () => {
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
      { numRuns: 2000 },
    );
  });

  it('with a digit finer than a tick matches no entity', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{7}\d{0,5}[1-9]$/), (fraction) => {
        const tag = `W/"datetime'2024-02-29T23%3A59%3A59.${fraction}Z'"`;
        expect(() => readIfMatch(tag, undefined, 'MERGE')).toThrow('The condition specified');
      }),
    );
  });
});
