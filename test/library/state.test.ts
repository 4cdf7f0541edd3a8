import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { tableNames, tableOf } from '../support/bodies/instance-tables.js';

describe('The state of an instance', () => {
  let instance: Tabularium;
  beforeEach(async () => {
    instance = await startTabularium();
    await tableOf(instance.connectionString, 'People').createTable();
  });
  afterEach(() => instance.close());

  it('goes back to a snapshot, and to empty', async () => {
    const { accounts } = await instance.snapshots.create('before');
    expect(accounts).toEqual([{ name: 'devstoreaccount1', tables: 1 }]);
    await tableOf(instance.connectionString, 'Places').createTable();
    expect(await instance.snapshots.restore('before')).toMatchObject({ tables: 1 });
    expect(await tableNames(instance)).toEqual(['People']);
    expect(await instance.reset()).toMatchObject({ to: 'empty', tables: 1 });
    expect(await instance.reset({ to: 'before' })).toMatchObject({ tables: 1 });
    expect(await tableNames(instance)).toEqual(['People']);
    expect((await instance.snapshots.list()).map(({ name }) => name)).toEqual(['before']);
    await instance.snapshots.delete('before');
    await expect(instance.snapshots.restore('before')).rejects.toThrow('There is no snapshot before.');
  });

  it('comes back after a reset, with the ETags that it had', async () => {
    const table = tableOf(instance.connectionString, 'People');
    const { etag } = await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const { undo } = await instance.reset();
    expect(await instance.undo.list()).toMatchObject([{ id: undo, what: 'reset all accounts' }]);
    expect(await instance.undo(undo)).toMatchObject({ id: undo, tables: 1 });
    expect((await table.getEntity('p', 'r')).etag).toBe(etag);
    await instance.reset({ table: 'People' });
    expect(await instance.undo()).toMatchObject({ tables: 1 });
    expect((await table.getEntity('p', 'r')).etag).toBe(etag);
    await expect(instance.undo()).rejects.toThrow('Nothing can be undone now.');
  });

  it('does not come back if nothing is kept', async () => {
    await using other = await startTabularium({ undo: false });
    expect(await other.reset()).not.toHaveProperty('undo');
    expect(await other.undo.list()).toEqual([]);
  });

  it('has branches that may have ended before the block that they were for', async () => {
    const branch = await instance.branches.create();
    const answer = await fetch(`${instance.url}/_tabularium/branches/${branch.account}`, {
      method: 'DELETE',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(200);
    await branch[Symbol.asyncDispose]();
    await expect(branch.delete()).rejects.toThrow(`There is no branch ${branch.account}.`);
  });

  it('has branches for tests that run side by side', async () => {
    await tableOf(instance.connectionString, 'People').createEntity({ partitionKey: 'p', rowKey: 'r' });
    await instance.snapshots.create('base');
    const branches = await Promise.all([1, 2, 3].map(() => instance.branches.create({ from: 'base' })));
    await Promise.all(
      branches.map(({ connectionString }, at) =>
        tableOf(connectionString, 'People').createEntity({ partitionKey: 'p', rowKey: `own${at}` }),
      ),
    );
    for (const [at, branch] of branches.entries()) {
      const rows: (string | undefined)[] = [];
      for await (const { rowKey } of tableOf(branch.connectionString, 'People').listEntities()) rows.push(rowKey);
      expect(rows).toEqual([`own${at}`, 'r']);
      expect(branch.endpoint).toBe(`${instance.url}/${branch.account}`);
    }
    expect(await instance.branches.list()).toHaveLength(3);
    for (const branch of branches) await branch[Symbol.asyncDispose]();
    await branches[0]?.delete();
    expect(await instance.branches.list()).toEqual([]);
  });
});
