import { describe, expect, it, onTestFinished } from 'vitest';
import type { FaultSummary } from '../../src/index.js';
import type { RunningServer } from '../../src/server.js';
import { askVerb } from '../support/clients/ask-verb.js';
import { clusterDatabase } from '../support/postgres/open-cluster.js';
import { clientOf, shareDatabase } from '../support/servers/shared-servers.js';

describe.skipIf(!clusterDatabase)('a fault rule on one of two servers on one database', () => {
  it('acts on the requests of that server alone, is listed there alone, and ends with it', async () => {
    const shared = shareDatabase();
    onTestFinished(() => shared.dispose());
    const [one, two] = [await shared.start(), await shared.start()];
    await clientOf(one).post('/Tables', { TableName: 'Table' });
    await clientOf(one).post('/Table', { PartitionKey: 'p', RowKey: 'a' });
    const statusOf = async (server: RunningServer) =>
      (await clientOf(server).get("/Table(PartitionKey='p',RowKey='a')")).status;
    const listOn = async (server: RunningServer) =>
      ((await askVerb(server, 'fault list')) as { readonly faults: readonly FaultSummary[] }).faults;

    await askVerb(one, 'fault create', { rules: { id: 'busy', fault: 'ServerBusy' } });
    expect([await statusOf(one), await statusOf(two)]).toEqual([503, 200]);
    expect(await listOn(one)).toMatchObject([{ id: 'busy', hits: 1 }]);
    expect(await listOn(two)).toEqual([]);

    await one.close();
    expect(await statusOf(await shared.start())).toBe(200);
  });
});
