import { setTimeout as later } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import type { RunningServer } from '../../../src/server.js';
import type { MadeBranch } from '../../../src/state/contract.js';
import { askVerb } from '../../support/clients/ask-verb.js';
import { clusterDatabase } from '../../support/postgres/open-cluster.js';
import { clientOf, type SharedServers, shareDatabase } from '../../support/servers/shared-servers.js';

describe.skipIf(!clusterDatabase)('the branches and snapshots of two servers on one database', () => {
  const base = developmentAccount.name;
  const branchOn = async (server: RunningServer, body: object = {}) =>
    (await askVerb(server, 'branch create', body)) as MadeBranch;
  const accountOf = ({ account, key }: MadeBranch) => ({ name: account, keys: [key] });
  const listOn = async (server: RunningServer) => {
    const { branches } = (await askVerb(server, 'branch list')) as { branches: MadeBranch[] };
    return branches.map(({ account }) => account);
  };

  let shared: SharedServers;
  let one: RunningServer;
  let two: RunningServer;
  beforeEach(async () => {
    shared = shareDatabase();
    [one, two] = await Promise.all([shared.start(), shared.start()]);
    await clientOf(one).post('/Tables', { TableName: 'Table' });
    await clientOf(two).post('/Table', { PartitionKey: 'p', RowKey: 'a' });
  });
  afterEach(async () => {
    await shared.dispose();
    expect(shared.errors).toEqual([]);
  });

  it('are served by both at once, and by neither after one has deleted them', async () => {
    const made = await branchOn(one);
    const [here, there] = [clientOf(one, accountOf(made)), clientOf(two, accountOf(made))];
    const entity = "/Table(PartitionKey='p',RowKey='a')";
    expect(await there.get(entity)).toMatchObject({ status: 200 });
    expect(await there.post('/Table', { PartitionKey: 'p', RowKey: 'b' })).toMatchObject({ status: 201 });
    expect(await here.get("/Table(PartitionKey='p',RowKey='b')")).toMatchObject({ status: 200 });
    expect(await clientOf(one).get("/Table(PartitionKey='p',RowKey='b')")).toMatchObject({ status: 404 });
    expect([await listOn(one), await listOn(two)]).toEqual([[made.account], [made.account]]);

    await askVerb(two, 'branch delete', { account: made.account });

    const late = await here.post('/Tables', { TableName: 'Late' });
    expect([late.status, late.body]).toEqual([404, expect.stringContaining('account')]);
    expect(one.accounts.names).not.toContain(made.account);
    for (const client of [here, there]) expect(await client.get(entity)).toMatchObject({ status: 404 });
    expect([await listOn(one), await listOn(two)]).toEqual([[], []]);
  });

  it('can be reset, compared and counted through the other server', async () => {
    await askVerb(one, 'snapshot create', { name: 'base' });
    const made = await branchOn(one, { from: 'base' });
    await clientOf(one, accountOf(made)).post('/Table', { PartitionKey: 'p', RowKey: 'b' });
    const { account } = made;
    expect(await askVerb(two, 'diff', { from: 'base', to: account })).toMatchObject({
      differences: [{ kind: 'added', table: 'Table', partitionKey: 'p', rowKey: 'b' }],
    });
    const listed = { tables: [{ account, name: 'Table', entities: 2 }] };
    expect(await askVerb(two, 'table list', { account, count: true })).toEqual(listed);

    expect(await askVerb(two, 'reset', { account })).toMatchObject({ to: 'base' });

    expect(await clientOf(one, accountOf(made)).get("/Table(PartitionKey='p',RowKey='b')")).toMatchObject({
      status: 404,
    });
    await askVerb(one, 'snapshot create', { name: 'seed' });
    await clientOf(one).post('/Table', { PartitionKey: 'p', RowKey: 'c' });
    expect(await askVerb(two, 'reset', {})).toMatchObject({ to: 'seed' });
    expect(await clientOf(one).get("/Table(PartitionKey='p',RowKey='c')")).toMatchObject({ status: 404 });
    expect(await listOn(one)).toEqual([account]);
  });

  it('are ended in time by another server when the one that made them is gone', async () => {
    const made = await branchOn(one, { for: '5s' });
    await one.close();
    // The list is that of the database. Only a server that ends the branch takes it out.
    while ((await listOn(two)).length > 0) await later(20);
    expect(two.accounts.names).not.toContain(made.account);
    expect(await clientOf(two, accountOf(made)).get('/Tables')).toMatchObject({ status: 404 });
  });

  it('are known to a server that starts later', async () => {
    const made = await branchOn(one);
    const three = await shared.start();
    expect([...three.accounts.names]).toEqual([base, made.account]);
    expect(await clientOf(three, accountOf(made)).get('/Tables')).toMatchObject({ status: 200 });
  });
});
