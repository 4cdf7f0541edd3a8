import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/journal/journal.js';
import { recordOf } from '../../support/journal-records.js';
import { usedHeapBytes } from '../../support/used-heap.js';

describe('A journal', () => {
  it('takes the same memory after a million requests, each with another long target', async () => {
    const journal = new Journal(4096);
    const push = (count: number) => {
      for (let at = 0; at < count; at++) {
        const url = `/devstoreaccount1/T${at}?$filter=P${at}%20eq%20'${'x'.repeat(100)}'`;
        journal.observe(recordOf({ url, requestId: `id-${at}`, headers: { 'user-agent': `${at}` } }));
      }
    };
    push(10_000);
    const before = await usedHeapBytes();
    push(1_000_000);
    for (let seq = journal.first; seq < journal.next; seq++) journal.read(seq);

    expect((await usedHeapBytes()) - before).toBeLessThan(4 * 1024 * 1024);
  }, 60_000);
});
