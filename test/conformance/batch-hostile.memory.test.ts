import { expect, it } from 'vitest';
import { batchTools, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { hostileEnvelopes } from '../support/hostile/hostile-envelopes.js';
import { usedHeapBytes } from '../support/measures/used-heap.js';
import { describeService } from '../support/servers/describe-service.js';
import { externalService } from '../support/servers/external-service.js';

/** Returns what is in use after garbage was collected, buffers included. Unit: bytes. */
async function usedBytes(): Promise<number> {
  return (await usedHeapBytes()) + process.memoryUsage().external;
}

describeService('Entity Group Transaction from a hostile client', (tools) => {
  const { sendBody } = batchTools(tools);

  it.skipIf(externalService)('leaves nothing in memory after the answer', async () => {
    const { body, contentType } = hostileEnvelopes.find(({ name }) => name === 'endless headers') ?? {};
    if (body === undefined) throw new Error('the list of hostile envelopes has changed');
    const large = writeChangeSet([insert('missing', { PartitionKey: 'p', RowKey: 'x'.repeat(4_000_000) })]);
    const send = async (text: string, type?: string) => {
      const { status } = await sendBody(text, type === undefined ? {} : { headers: { 'Content-Type': type } });
      expect([202, 400]).toContain(status);
    };
    await send(body, contentType);
    await send(large);
    const before = await usedBytes();

    for (let count = 0; count < 25; count++) await Promise.all([send(body, contentType), send(large)]);

    // Each round sends more than 4 MiB: what one in eight would leave does not fit.
    expect((await usedBytes()) - before).toBeLessThan(12 * 1024 * 1024);
  });
});
