import { expect, it } from 'vitest';
import { RawConnection } from '../support/clients/raw-connection.js';
import { markedRequests, marks } from '../support/hostile/marked-requests.js';
import { keptTexts } from '../support/measures/kept-texts.js';
import { describeService } from '../support/servers/describe-service.js';

/** Longest text with a mark that a server may keep: a target of the journal. Unit: bytes. */
const keptBytesMax = 8192;

describeService('What outlives a request', ({ service }) => {
  it('owns its texts: no operation, rejection or verb keeps the body or the target that they are a part of', async () => {
    const statuses = new Set<number | undefined>();
    for (const request of markedRequests(service())) {
      const connection = await RawConnection.open(service());
      await connection.write(request);
      statuses.add((await connection.answer())?.status);
      connection.destroy();
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 202, 204, 400, 403, 404, 409, 412, 503]));
    // The server still closes the last connections.
    const kept = async () => (await keptTexts(marks, keptBytesMax)).map((text) => text.slice(0, 100));
    await expect.poll(kept, { timeout: 30_000 }).toEqual([]);
  });
});
