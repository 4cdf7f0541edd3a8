import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChangeRing } from '../../../src/insight/journal/changes/change-ring.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { ids, writerOf } from '../../support/measures/journal-records.js';

it('A ring of changes has what a list of the last changes has, whatever their texts are and however they are written together', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 12 }),
    // Halves of pairs alone, too.
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 9 }).map((units) => String.fromCharCode(...units)),
    fc.tuple(fc.constantFrom('x', 'é', '√'), fc.integer({ max: 40_000, min: 0 })).map(([unit, at]) => unit.repeat(at)),
  );
  const change = fc.record({
    kind: fc.constantFrom('insert', 'replace', 'merge', 'delete'),
    key: fc.record({ partitionKey: fc.constantFrom('p', 'ø', '√'), rowKey: text }),
    timestamp: fc.constantFrom('2026-11-22T10:00:00Z', '2026-11-22T10:00:00.1234567Z'),
  });
  const transaction = fc.record({
    changes: fc.array(change, { minLength: 1, maxLength: 5 }),
    account: fc.constantFrom('one', 'two'),
    table: fc.constantFrom('People', 'Places'),
    clientId: fc.option(fc.string({ unit: 'binary', maxLength: 8 }), { nil: undefined }),
    mark: fc.option(fc.constantFrom('m', 'n'), { nil: undefined }),
    at: fc.double({ noNaN: true }),
    isAsked: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(transaction, { maxLength: 20 }), (capacity, transactions) => {
      const ring = new ChangeRing(capacity);
      const expected: object[] = [];
      for (const [index, { changes, account, table, clientId, mark, at, isAsked }] of transactions.entries()) {
        const headers = clientId === undefined ? {} : { 'x-ms-client-request-id': clientId };
        const writer = isAsked ? writerOf({ headers, requestNumber: index + 1 }) : undefined;
        const made = changes.map((one) => ({ ...one, text: null, previous: null })) as never;
        ring.push({ account, table, writer, changes: made }, at, mark);
        for (const { kind, key, timestamp } of changes) {
          expected.push({
            ...{ account, table, kind, key, timestamp, mark, at, seq: expected.length + 1 },
            writer: isAsked
              ? {
                  ...{ requestId: ids.write(index + 1), clientRequestId: clientId, operation: 'Insert Entity' },
                  ...{ caller: '127.0.0.1', userAgent: undefined },
                }
              : undefined,
          });
        }
      }
      const kept = Math.min(capacity, expected.length);
      expect([ring.first, ring.next]).toEqual([expected.length - kept + 1, expected.length + 1]);
      for (const [at, wanted] of expected.entries()) {
        expect(ring.read(at + 1)).toEqual(at >= expected.length - kept ? wanted : undefined);
      }
    }),
    { numRuns: runs(100) },
  );
});
