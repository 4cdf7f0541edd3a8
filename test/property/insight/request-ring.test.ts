import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RequestRing } from '../../../src/insight/journal/request-ring.js';
import { ids, recordOf } from '../../support/measures/journal-records.js';

const request = fc.record({
  url: fc.webPath({ size: 'medium' }),
  headers: fc.record({ 'x-ms-client-request-id': fc.string({ maxLength: 40 }) }, { requiredKeys: [] }),
  status: fc.integer({ min: 200, max: 599 }),
  durationMs: fc.double({ min: 0, noNaN: true }),
  requestBytes: fc.constantFrom(0, 300, 100_000),
  answerBytes: fc.nat(),
  entitiesRead: fc.nat(),
  entitiesReturned: fc.nat(),
  continues: fc.boolean(),
  mark: fc.constantFrom(undefined, 'one', 'two'),
  isReadAfter: fc.boolean(),
});

it('A ring has the last requests as they ended, however many there were and whenever it is read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(request, { maxLength: 60 }), (capacity, requests) => {
      const ring = new RequestRing(capacity, ids);
      const expected = requests.map(({ isReadAfter, mark, url, headers, ...facts }, index) => {
        const at = 1000 + index;
        ring.push(recordOf({ ...facts, url, headers, requestNumber: index }), at, mark);
        if (isReadAfter) expect(ring.read(index + 1)?.requestId).toBe(ids.write(index));
        const clientRequestId = headers['x-ms-client-request-id'];
        return { ...facts, seq: index + 1, at, mark, target: url, clientRequestId, requestId: ids.write(index) };
      });

      expect([ring.first, ring.next]).toEqual([Math.max(1, requests.length - capacity + 1), requests.length + 1]);
      expect(ring.read(ring.first - 1)).toBeUndefined();
      for (let seq = ring.first; seq < ring.next; seq++) expect(ring.read(seq)).toMatchObject(expected[seq - 1] ?? {});
    }),
  );
});
