import { describe, expect, it } from 'vitest';
import { type ChildServer, eachInFolder, startChild } from '../../support/programs/child-server.js';
import { contentOf, Writer } from '../../support/store/partition-writer.js';

let location: string;
eachInFolder((folder) => {
  location = folder;
});

describe.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('A server that receives %s', (signal) => {
  it('ends with code 0 and without output, and has its data at the next start', async () => {
    const server = await startChild({ location });
    const client = server.client();
    await client.post('/Tables', { TableName: 'Kept' });
    await client.post('/Kept', { PartitionKey: 'p', RowKey: 'r', A: 'x' });
    const before = await client.get("/Kept(PartitionKey='p',RowKey='r')");
    expect(before.status).toBe(200);
    expect(await server.stop(signal)).toMatchObject({ code: 0, signal: null, errors: '' });

    const again = await startChild({ location });
    const after = await again.client().get("/Kept(PartitionKey='p',RowKey='r')");
    expect(after.headers['etag']).toBe(before.headers['etag']);
    expect({ ...after.json, 'odata.metadata': '' }).toEqual({ ...before.json, 'odata.metadata': '' });
    await again.stop(signal);
  });
});

describe('A server that receives a signal while clients write', () => {
  it('ends, and keeps every write that it acknowledged', async () => {
    const server = await startChild({ location });
    const client = server.client();
    await client.post('/Tables', { TableName: 'Kept' });
    const writes = Array.from({ length: 100 }, (_, at) =>
      client.post('/Kept', { PartitionKey: 'p', RowKey: `${at}` }).then(
        ({ status }) => ({ at, status }),
        // The server had already stopped listening, so the write was not acknowledged.
        () => ({ at, status: 0 }),
      ),
    );
    await Promise.race(writes);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, errors: '' });
    const acknowledged = (await Promise.all(writes)).filter(({ status }) => status === 201);
    expect(acknowledged.length).toBeGreaterThan(0);

    const again = await startChild({ location });
    const content = await contentOf(again.client(), 'Kept', 'p');
    for (const { at } of acknowledged) expect(content.has(String(at))).toBe(true);
    await again.stop('SIGTERM');
  });
});

describe('A server that is killed', () => {
  /** Lets writers write until `enough` more writes are acknowledged, then kills the server while they write. */
  async function writeUntilKilled(server: ChildServer, writers: readonly Writer[], enough: number): Promise<void> {
    const client = server.client();
    const goal = writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) + enough;
    const atGoal = new Promise<void>((resolve) => {
      for (const writer of writers) {
        writer.onAcknowledged = () => {
          if (writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0) >= goal) resolve();
        };
      }
    });
    const writing = writers.map((writer) => writer.writeUntilRejected(client));
    await atGoal;
    expect(await server.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    await Promise.all(writing);
  }

  it('keeps every acknowledged write, also after several kills', async () => {
    const writers = Array.from({ length: 6 }, (_, at) => new Writer('Kept', `w${at}`));
    let server = await startChild({ location });
    await server.client().post('/Tables', { TableName: 'Kept' });
    for (const enough of [40, 400, 150]) {
      await writeUntilKilled(server, writers, enough);
      server = await startChild({ location });
      for (const writer of writers) writer.expectKept(await contentOf(server.client(), 'Kept', writer.partition));
    }
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  it('never reuses an ETag', async () => {
    let server = await startChild({ location });
    await server.client().post('/Tables', { TableName: 'Kept' });
    const tags: (string | undefined)[] = [];
    for (let round = 0; round < 3; round++) {
      const client = server.client();
      for (let turn = 0; turn < 5; turn++) {
        const { headers } = await client.put("/Kept(PartitionKey='p',RowKey='r')", { N: turn });
        tags.push(headers['etag']);
      }
      await server.stop('SIGKILL');
      server = await startChild({ location });
    }
    expect(tags).not.toContain(undefined);
    expect(tags).toEqual([...new Set(tags)].sort((a = '', b = '') => instant(a) - instant(b)));
    await server.stop('SIGTERM');
  });

  const instant = (etag: string) => Date.parse(decodeURIComponent(/'([^']*)'/.exec(etag)?.[1] ?? ''));
});
