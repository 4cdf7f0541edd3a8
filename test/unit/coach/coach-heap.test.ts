import { describe, expect, it } from 'vitest';
import { Coach } from '../../../src/coach/coach.js';
import { usedHeapBytes } from '../../support/used-heap.js';

describe('A coach', () => {
  it('takes the same memory after a million requests, each of another shape, entity and mark', async () => {
    const coach = new Coach();
    const observe = (count: number) => {
      for (let at = 0; at < count; at++) {
        const request = { at, requestId: `id-${at}`, mark: `mark ${at}`, table: `T${at}`, status: 412 };
        coach.shapes.observe({
          ...request,
          ...{
            query: { class: 'table-scan', flags: ['properties-only'] },
            shape: `shape ${at}`,
          },
          readFilter: () => `filter ${at}`,
          ...{ comparisons: 1, hasSelect: false, isContinuation: false, read: 1, returned: 1, bytes: 1 },
        });
        coach.habits.readPoint(request, `${at}`, 'r');
        if (at % 10 > 0) continue;
        coach.habits.writeConditional(request);
        coach.habits.refuseFilter({ ...request, filter: `filter ${at}`, cause: `cause ${at}` });
      }
    };
    observe(10_000);
    const before = await usedHeapBytes();
    observe(1_000_000);

    expect((await usedHeapBytes()) - before).toBeLessThan(4 * 1024 * 1024);
    expect(coach.findings().length).toBeLessThanOrEqual(512 + 256);
    expect(coach.shapes.forgotten).toBeGreaterThanOrEqual(1_010_000 - 512);
  }, 120_000);
});
