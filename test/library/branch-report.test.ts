import { TableClient } from '@azure/data-tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';

describe('The report of a branch', () => {
  let instance: Tabularium;
  beforeEach(async () => {
    instance = await startTabularium();
  });
  afterEach(() => instance.close());

  const tableOf = (connectionString: string) =>
    TableClient.fromConnectionString(connectionString, 'Books', {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
  const branchFor = async (mark: string) => {
    const branch = await instance.branches.create({ from: 'empty', mark });
    const table = tableOf(branch.connectionString);
    await table.createTable();
    return { ...branch, table };
  };
  const textOf = async (account: string) => {
    const headers = { Accept: 'text/plain' };
    const answer = await fetch(`${instance.url}/_tabularium/branches/${account}/report`, { headers });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    return (await answer.text()).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replace(/\d{4}-[\dT:.-]+Z/g, 'TIME');
  };
  const book = { partitionKey: 'math', rowKey: '1' };
  const missing = (table: TableClient, rowKey: string) =>
    expect(table.getEntity('math', rowKey)).rejects.toMatchObject({ statusCode: 404 });

  it('has lines for the output of a failed test: causes with reasons, then warnings', async () => {
    const { account, table } = await branchFor('updates with an old ETag');
    const { etag = '' } = await table.createEntity(book);
    await table.updateEntity({ ...book, Title: 'Elements' });
    await expect(table.updateEntity(book, 'Merge', { etag })).rejects.toMatchObject({ statusCode: 412 });
    for await (const _ of table.listEntities({
      queryOptions: { filter: "PartitionKey eq '1' or PartitionKey eq '2'" },
    }));

    expect((await textOf(account)).split('\n')).toEqual([
      "Tabularium rejected requests of 'updates with an old ETag':",
      "  412 UpdateConditionNotSatisfied: PATCH /Books(PartitionKey='math',RowKey='1')",
      '    The entity was changed after the ETag in If-Match was read. Merge Entity (request ID) wrote it at TIME.',
      '    Read the entity again, reapply the change, and send the new ETag.',
      '    request ID',
      "The coach of 'updates with an old ETag':",
      "  warn: Keys are joined by 'or', so the whole table is read: books where PartitionKey eq ?… Send one query for each key, in parallel.",
    ]);
    expect(await instance.branches.report(account)).toMatchObject({
      requests: 5,
      rejected: [
        { code: 'UpdateConditionNotSatisfied', method: 'PATCH', requests: 1, mark: 'updates with an old ETag' },
      ],
      findings: [{ rule: 'table-scan', cause: 'or-keys', table: 'Books' }],
    });
  });

  it('has the last hundred causes', async () => {
    const { account } = await branchFor('asks for many');
    for (let at = 0; at <= 100; at++) {
      const answer = await fetch(`${instance.url}/${account}/Table${at}()?$top=0`);
      expect(answer.status).toBe(401);
    }
    const { rejected } = await instance.branches.report(account);
    expect([rejected.length, rejected[0]?.path, rejected.at(-1)?.path]).toEqual([
      100,
      '/Table1()?$top=0',
      '/Table100()?$top=0',
    ]);
    expect(await textOf(account)).toContain('  96 earlier requests with other causes');
  });

  it('is empty if nothing went wrong, or only what programs expect', async () => {
    const { account, table } = await branchFor('inserts if missing');
    await missing(table, '1');
    await table.createEntity(book);
    await table.createTable();
    expect(await textOf(account)).toBe('');
    expect(await instance.branches.report(account)).toEqual({ requests: 4, rejected: [], findings: [], text: '' });
  });

  it('has nothing of another branch, also if both do the same', async () => {
    const [one, two] = await Promise.all([branchFor('one'), branchFor('two')]);
    await Promise.all([missing(one.table, 'a'), missing(two.table, 'b'), missing(one.table, 'c')]);
    expect(await textOf(one.account)).toMatch(
      /^Tabularium rejected requests of 'one':\n {2}404 ResourceNotFound: GET \/Books\(PartitionKey='math',RowKey='[ac]'\).*, 2 times\n/,
    );
    expect(await textOf(two.account)).not.toMatch(/'one'|RowKey='[ac]'/);
    expect(
      (await instance.requests.list({ account: two.account })).map(({ AccountName, Mark }) => [AccountName, Mark]),
    ).toEqual([two.account, two.account].map((account) => [account, 'two']));
  });

  it('is there for an account that is not a branch, and for none that is unknown', async () => {
    await missing(tableOf(instance.connectionString), '1');
    expect(await textOf('devstoreaccount1')).toMatch(
      /^Tabularium rejected requests of 'devstoreaccount1':\n {2}404 TableNotFound/,
    );
    await expect(instance.branches.report('other')).rejects.toThrow(
      'There is no account other, and the journal has no requests of it.',
    );
  });

  it('has at most five causes, and counts the others', async () => {
    const { account, connectionString } = await branchFor('many');
    for (const name of ['T1a', 'T2b', 'T3c', 'T4d', 'T5e', 'T6f', 'T7g']) {
      const options = { allowInsecureConnection: true };
      await missing(TableClient.fromConnectionString(connectionString, name, options), '1');
    }
    const lines = (await textOf(account)).split('\n');
    expect(lines.filter((line) => / 404 /.test(line))).toHaveLength(5);
    expect(lines.at(-1)).toBe('  2 earlier requests with other causes');
  });
});

it('A request to a branch that was deleted is told so', async () => {
  await using instance = await startTabularium();
  const branch = await instance.branches.create({ from: 'empty', mark: 'a test' });
  await branch.delete();
  const ended = new RegExp(`The branch ${branch.account} of 'a test' was deleted at \\d{4}-[^ ]+Z\\.`);
  const answer = await fetch(`${branch.endpoint}/Books()`, { headers: { 'x-tabularium-explain': '1' } });
  expect(answer.status).toBe(404);
  expect(await answer.text()).toMatch(ended);
  expect(answer.headers.get('x-tabularium-why')).toMatch(ended);
  const byHost = await fetch(`${instance.url}/Other()`);
  expect(await byHost.text()).not.toContain('was deleted');
});
