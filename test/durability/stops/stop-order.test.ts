import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceClient } from '../../support/clients/service-client.js';
import { rejectsConnections } from '../../support/servers/rejects-connections.js';
import { type RunningService, startService } from '../../support/servers/start-service.js';
import { beginInsert } from '../../support/store/begin-insert.js';

let service: RunningService;
let client: ServiceClient;
beforeEach(async () => {
  service = await startService();
  client = new ServiceClient(() => service);
  await client.post('/Tables', { TableName: 'Kept' });
  // No timer runs from here on unless a test moves the clock.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  client.close();
  await service.close();
});

const body = '{"PartitionKey":"p","RowKey":"r"}';

describe('A stop', () => {
  it('waits for no time while clients hold idle connections', async () => {
    const { hostname, port } = new URL(service.url);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    expect((await client.get('/Tables')).status).toBe(200);

    const closed = once(silent, 'close');
    await service.close();
    await closed;
  });

  it('waits for the current request, and for no time after its answer', async () => {
    const insert = await beginInsert(service.url, 'Kept', body);
    const events: string[] = [];

    const stop = service.close().then(() => events.push('stopped'));
    await rejectsConnections(service.url);
    events.push('refuses connections');
    expect(await insert.finish()).toBe(201);
    await Promise.all([stop, insert.closed]);

    expect(events).toEqual(['refuses connections', 'stopped']);
  });

  it('ends a request whose body does not arrive when the time for it is over', async () => {
    const insert = await beginInsert(service.url, 'Kept', body);
    const events: string[] = [];

    const stop = service.close().then(() => events.push('stopped'));
    await vi.advanceTimersByTimeAsync(699);
    await rejectsConnections(service.url);
    events.push('699 ms');
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([stop, insert.closed]);

    expect(events).toEqual(['699 ms', 'stopped']);
  });
});
