import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntityKey } from '../../../../src/entity/stored/entity.js';
import { ChangeRing } from '../../../../src/insight/journal/changes/change-ring.js';
import { runs } from '../../../support/arbitrary/property-runs.js';
import { ids, writerOf, writtenTo } from '../../../support/measures/journal-records.js';

const keyOf = (rowKey: string, partitionKey = 'p'): EntityKey => ({ partitionKey, rowKey });

const sought = (key: EntityKey) => ({ account: 'one', table: 'people', key });

describe('A ring of changes', () => {
  it('has each change with its request, its time and its mark', () => {
    const ring = new ChangeRing();
    const headers = { 'x-ms-client-request-id': 'own', 'user-agent': 'Own/1.0' };
    const writer = writerOf({ requestNumber: 7, headers });
    ring.push(writtenTo([keyOf('a'), keyOf('b')], { writer }), 5, 'a test');
    expect(ring.read(2)).toEqual({
      seq: 2,
      at: 5,
      account: 'one',
      table: 'People',
      key: keyOf('b'),
      kind: 'insert',
      isNew: true,
      timestamp: '2026-11-22T10:00:00Z',
      writer: {
        requestId: ids.write(7),
        clientRequestId: 'own',
        operation: 'Insert Entity',
        caller: '127.0.0.1',
        userAgent: 'Own/1.0',
      },
      mark: 'a test',
    });
  });

  it('keeps the last changes, and no more than its capacity', () => {
    const ring = new ChangeRing(3);
    for (const name of ['a', 'b', 'c', 'd', 'e']) ring.push(writtenTo([keyOf(name)]), 0, undefined);
    expect([ring.first, ring.next]).toEqual([3, 6]);
    expect([1, 2, 3, 4, 5, 6].map((seq) => ring.read(seq)?.key.rowKey)).toEqual([
      ...[undefined, undefined, 'c', 'd', 'e', undefined],
    ]);
    expect(ring.findLast(sought(keyOf('b')))).toBeUndefined();
    expect(ring.findLast(sought(keyOf('c')))?.seq).toBe(3);
  });

  it('keeps less than its capacity if the keys are so long that they would take more than 16 MiB', () => {
    const ring = new ChangeRing();
    const long = (at: number) => String(at).padEnd(512, 'é');
    const headers = (at: number) => ({
      'x-ms-client-request-id': `${at}`.padEnd(2000),
      'user-agent': `${at}`.padEnd(2000),
    });
    for (let at = 0; at < 9000; at++) {
      ring.push(writtenTo([keyOf(long(at), long(-at))], { writer: writerOf({ headers: headers(at) }) }), 0, undefined);
    }
    const kept = ring.next - ring.first;
    expect(kept).toBeGreaterThan(4000);
    expect(kept * 2 * (1024 + 512 + 20)).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(ring.read(ring.next - 1)?.key.rowKey).toBe(long(8999));
  });

  it('finds the newest change of an entity, in every letter case of its table, and of no other account', () => {
    const ring = new ChangeRing();
    ring.push(writtenTo([keyOf('r')]), 1, undefined);
    ring.push(writtenTo([keyOf('r')], { table: 'PEOPLE' }), 2, undefined);
    ring.push(writtenTo([keyOf('r')], { account: 'two' }), 3, undefined);
    ring.push(writtenTo([keyOf('r')], { table: 'Others' }), 4, undefined);
    expect(ring.findLast(sought(keyOf('r')))?.at).toBe(2);
    expect(ring.findLast(sought(keyOf('R')))).toBeUndefined();
  });

  it('finds what a search through all of its changes finds', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '√'), maxLength: 20 });
    const key = fc.record({ partitionKey: part, rowKey: part });
    const isSame = (a: EntityKey, b: EntityKey) => a.partitionKey === b.partitionKey && a.rowKey === b.rowKey;
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 60 }), fc.nat(), (keys, pick) => {
        const ring = new ChangeRing(16);
        for (const one of keys) ring.push(writtenTo([one]), 0, undefined);
        const wanted = keys[pick % keys.length] as EntityKey;
        const last = keys.findLastIndex((one) => isSame(one, wanted)) + 1;
        expect(ring.findLast(sought(wanted))?.seq).toBe(last >= ring.first ? last : undefined);
      }),
      { numRuns: runs(100) },
    );
  });
});
