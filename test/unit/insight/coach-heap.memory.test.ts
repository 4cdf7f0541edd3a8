import { describe, expect, it } from 'vitest';
import { Coach } from '../../../src/insight/coach/coach.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { observedRequest } from '../../support/clients/observed-request.js';
import { usedHeapBytes } from '../../support/measures/used-heap.js';

/** Keeping 80 bytes of each, which is one object, is more than the limit. A thorough run has ten times as many. */
const requests = runs(60_000);

describe('A coach', () => {
  it('takes the same memory after any number of requests, each of another shape, entity and mark', async () => {
    const coach = new Coach();
    const observe = (count: number) => {
      for (let at = 0; at < count; at++) {
        const request = observedRequest({
          at,
          requestId: `id-${at}`,
          mark: `mark ${at}`,
          table: `T${at}`,
          status: 412,
        });
        coach.shapes.observe({
          ...request,
          ...{ query: { class: 'table-scan', flags: ['properties-only'], reads: {} }, shape: `shape ${at}` },
          readFilter: () => `filter ${at}`,
          rewrite: () => [`filter ${at}`],
          ...{ comparisons: 1, hasSelect: false, hasTop: false, startRow: undefined, continues: true },
          ...{ hasFullMetadata: false, read: 1, returned: 1, bytes: 1 },
        });
        coach.steps.readPoint(request, `${at}`, 'r');
        if (at % 10 > 0) continue;
        const key = { partitionKey: `${at}`, rowKey: `${at}` };
        const write = { changes: [{ kind: 'insert', key, properties: [] }], isTransaction: false } as const;
        coach.tables.observe({ ...request, ...write, table: at % 20 > 0 ? 'T' : `T${at}` });
        coach.steps.write({ ...request, ...write });
        coach.habits.deleteTable(request);
        coach.habits.writeConditional(request);
        coach.habits.rejectFilter({ ...request, filter: `filter ${at}`, cause: `cause ${at}`, explanation: '' });
      }
    };
    observe(10_000);
    const before = await usedHeapBytes();
    observe(requests);

    expect((await usedHeapBytes()) - before).toBeLessThan(4 * 1024 * 1024);
    expect(coach.findings(0).length).toBeLessThanOrEqual(512 + 3 * 256 + 128);
    expect(coach.shapes.forgotten).toBeGreaterThanOrEqual(10_000 + requests - 512);
  });
});
