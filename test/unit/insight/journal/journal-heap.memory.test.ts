import { describe, expect, it } from 'vitest';
import { ChangeRing } from '../../../../src/insight/journal/changes/change-ring.js';
import { Journal } from '../../../../src/insight/journal/journal.js';
import { runs } from '../../../support/arbitrary/property-runs.js';
import { recordOf, writerOf, writtenTo } from '../../../support/measures/journal-records.js';
import { usedHeapBytes } from '../../../support/measures/used-heap.js';

/** Keeping 80 bytes of each, which is one object, is more than the limits. A thorough run has ten times as many. */
const pushed = runs(60_000);

describe('A journal', () => {
  it('takes the same memory after any number of requests, each with another long target', async () => {
    const journal = new Journal(4096);
    const push = (count: number) => {
      for (let at = 0; at < count; at++) {
        const url = `/devstoreaccount1/T${at}?$filter=P${at}%20eq%20'${'x'.repeat(100)}'`;
        journal.observe(recordOf({ url, requestNumber: at, headers: { 'user-agent': `${at}` } }));
      }
    };
    push(10_000);
    const before = await usedHeapBytes();
    push(pushed);
    for (let seq = journal.first; seq < journal.next; seq++) journal.read(seq);

    expect((await usedHeapBytes()) - before).toBeLessThan(4 * 1024 * 1024);
  });
});

describe('The marks of a journal', () => {
  it('take little memory, however long their names are', async () => {
    const journal = new Journal(4096);
    const mark = (count: number) => {
      for (let at = 0; at < count; at++) {
        // A text that was joined is whole only after it was read.
        const name = `${at}`.concat('x'.repeat(60_000));
        name.charCodeAt(0);
        journal.mark(name);
        journal.observe(recordOf());
      }
    };
    mark(10);
    const before = await usedHeapBytes();
    mark(4096);
    expect((await usedHeapBytes()) - before).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('A ring of changes', () => {
  it('takes the same memory after any number of changes, each of another entity by another client', async () => {
    const ring = new ChangeRing();
    const push = (count: number) => {
      for (let at = 0; at < count; at++) {
        const headers = { 'user-agent': `client ${at}`, 'x-ms-client-request-id': `id ${at}` };
        const key = { partitionKey: `partition ${at}`, rowKey: `row ${at}` };
        ring.push(writtenTo([key], { writer: writerOf({ headers }) }), at, 'm');
      }
    };
    push(10_000);
    const before = await usedHeapBytes();
    push(pushed);
    expect((await usedHeapBytes()) - before).toBeLessThan(2 * 1024 * 1024);
    expect(ring.next - ring.first).toBe(8192);
  });

  it('does not keep the bodies and the targets in memory that its keys are a part of', async () => {
    const ring = new ChangeRing();
    const push = (count: number) => {
      for (let at = 0; at < count; at++) {
        const body = `${'x'.repeat(20_000)}${at}`.concat('y'.repeat(20_000));
        // A text that was joined is whole only after it was read.
        body.charCodeAt(0);
        ring.push(
          writtenTo([{ partitionKey: body.slice(20_000, 20_020), rowKey: body.slice(19_990, 20_020) }]),
          0,
          undefined,
        );
      }
    };
    push(100);
    const before = await usedHeapBytes();
    push(8192);
    expect((await usedHeapBytes()) - before).toBeLessThan(8 * 1024 * 1024);
  });
});
