import { expect, it } from 'vitest';
import type { FaultRule } from '../../../src/index.js';
import { describeService } from '../../support/servers/describe-service.js';

interface Page {
  readonly keys: readonly string[];
  /** The parameters that continue the query; undefined at its end. */
  readonly token: string | undefined;
}

describeService('A fault in pages of entities', ({ client, service, withTable }) => {
  const use = async (fault: FaultRule['fault']) => {
    const answer = await fetch(`${service().url}/_tabularium/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ rules: { fault }, replace: true }),
    });
    expect(answer.status, await answer.text()).toBe(200);
  };
  /** Makes a table with the entities a1, a2, b1, b2, b3 and c1: the letter is the partition. */
  const withRows = async () => {
    await use('ServerBusy');
    await fetch(`${service().url}/_tabularium/faults/clear`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    const table = await withTable();
    for (const key of ['a1', 'a2', 'b1', 'b2', 'b3', 'c1']) {
      await client.post(`/${table}`, { PartitionKey: key[0], RowKey: key[1], N: 1 });
    }
    return table;
  };
  const readPage = async (table: string, options: string, token = ''): Promise<Page> => {
    const { status, body, headers } = await client.get(`/${table}()?${options}${token}`);
    expect(status, body).toBe(200);
    const { value } = JSON.parse(body) as { value: { PartitionKey: string; RowKey: string }[] };
    const parameters = ['NextPartitionKey', 'NextRowKey'].flatMap((name) => {
      const text = headers[`x-ms-continuation-${name.toLowerCase()}`];
      return text === undefined ? [] : [`&${name}=${encodeURIComponent(text)}`];
    });
    const keys = value.map(({ PartitionKey, RowKey }) => PartitionKey + RowKey);
    return { keys, token: parameters.length === 0 ? undefined : parameters.join('') };
  };
  const walk = async (table: string, options = '') => {
    const pages: (readonly string[])[] = [];
    let token: string | undefined = '';
    while (token !== undefined) {
      const page: Page = await readPage(table, options, token);
      pages.push(page.keys);
      token = page.token;
    }
    return pages;
  };

  it.each<[FaultRule['fault'], string, readonly (readonly string[])[]]>([
    [
      { kind: 'page', ends: 'rows', rows: 4 },
      '',
      [
        ['a1', 'a2', 'b1', 'b2'],
        ['b3', 'c1'],
      ],
    ],
    [
      { kind: 'page', ends: 'rows', rows: 4 },
      '$top=2',
      [
        ['a1', 'a2'],
        ['b1', 'b2'],
        ['b3', 'c1'],
      ],
    ],
    [{ kind: 'page', ends: 'empty' }, '', [[], ['a1', 'a2', 'b1', 'b2', 'b3', 'c1']]],
    [{ kind: 'page', ends: 'empty' }, '$top=4', [[], ['a1', 'a2', 'b1', 'b2'], [], ['b3', 'c1']]],
    [{ kind: 'page', ends: 'empty', every: 3 }, '$top=3', [[], ['a1', 'a2', 'b1'], ['b2', 'b3', 'c1']]],
    [{ kind: 'page', ends: 'empty' }, "$filter=PartitionKey%20eq%20'd'", [[]]],
    [{ kind: 'page', ends: 'partition' }, '', [['a1', 'a2'], ['b1', 'b2', 'b3'], ['c1']]],
    [{ kind: 'page', ends: 'partition' }, '$top=2', [['a1', 'a2'], ['b1', 'b2'], ['b3'], ['c1']]],
    [
      { kind: 'page', ends: 'token' },
      '$top=4',
      [
        ['a1', 'a2'],
        ['b1', 'b2', 'b3', 'c1'],
      ],
    ],
    [
      { kind: 'page', ends: 'token' },
      '$top=2',
      [
        ['a1', 'a2'],
        ['b1', 'b2'],
        ['b3', 'c1'],
      ],
    ],
    [{ kind: 'page', ends: 'token' }, '', [['a1', 'a2', 'b1', 'b2', 'b3', 'c1']]],
  ])('%j with %j leads to these pages', async (fault, options, pages) => {
    const table = await withRows();
    await use(fault);
    expect(await walk(table, options)).toEqual(pages);
  });

  it('a page that ends with a token of its partition sends no row key where a partition begins', async () => {
    const table = await withRows();
    await use({ kind: 'page', ends: 'token' });
    expect((await readPage(table, '$top=4')).token).not.toContain('NextRowKey');
    // The second page of a partition cannot do without it.
    expect((await readPage(table, '$top=1')).token).toContain('NextRowKey');
  });

  it('counts only the pages that it has changed', async () => {
    const table = await withRows();
    await use({ kind: 'page', ends: 'rows', rows: 4 });
    await walk(table);
    await client.get(`/${table}(PartitionKey='a',RowKey='1')`);
    const answer = await fetch(`${service().url}/_tabularium/faults`);
    expect(await answer.json()).toMatchObject({ faults: [{ matched: 3, hits: 2 }] });
  });
});
