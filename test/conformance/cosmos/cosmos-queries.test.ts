import { expect, it } from 'vitest';
import type { JsonObject } from '../../support/answers/answer.js';
import { expectCosmosError } from '../../support/answers/cosmos-answers.js';
import { withQuery } from '../../support/clients/service-client.js';
import { describeService } from '../../support/servers/describe-service.js';

// Source: cosmos 5.
describeService(
  'Cosmos DB, queries of entities',
  ({ client, withTable }) => {
    const keysOf = (rows: readonly JsonObject[]) => rows.map(({ RowKey }) => RowKey);
    const withRows = async (...keys: readonly string[]) => {
      const table = await withTable();
      for (const RowKey of keys) await client.post(`/${table}`, { PartitionKey: 'p', RowKey, N: Number(RowKey) });
      return table;
    };

    it('lists rows in the order of their insertion, within a partition and beyond', async () => {
      const table = await withRows('3', '10', '1');
      for (const PartitionKey of ['z', 'a']) await client.post(`/${table}`, { PartitionKey, RowKey: '2' });

      const all = await client.get(`/${table}()`);
      const partition = await client.get(withQuery(`/${table}()`, { $filter: "PartitionKey eq 'p'" }));

      expect(all.rows.map((row) => [row['PartitionKey'], row['RowKey']])).toEqual([
        ...['3', '10', '1'].map((row) => ['p', row]),
        ...['z', 'a'].map((key) => [key, '2']),
      ]);
      expect(keysOf(partition.rows)).toEqual(['3', '10', '1']);
    });

    it('keeps the place of a row in updates and upserts, and gives one that is inserted again a new place', async () => {
      const table = await withRows('3', '2', '1');
      const pathOf = (row: string) => `/${table}(PartitionKey='p',RowKey='${row}')`;

      await client.put(pathOf('3'), { A: 1 });
      await client.post(pathOf('2'), { A: 1 }, { headers: { 'X-HTTP-Method': 'MERGE' } });
      await client.delete(pathOf('3'), { ifMatch: '*' });
      await client.put(pathOf('3'), { A: 2 });

      expect(keysOf((await client.get(`/${table}()`)).rows)).toEqual(['2', '1', '3']);
    });

    it('continues at the same row after rows before it were deleted and others inserted', async () => {
      const table = await withRows('5', '4', '3', '2');

      const first = await client.get(withQuery(`/${table}()`, { $top: 2 }));
      await client.delete(`/${table}(PartitionKey='p',RowKey='5')`, { ifMatch: '*' });
      await client.post(`/${table}`, { PartitionKey: 'a', RowKey: '0' });
      const token = first.headers['x-ms-continuation-nextpartitionkey'] ?? '';
      const rest = await client.get(withQuery(`/${table}()`, { NextPartitionKey: token, NextRowKey: 'NA' }));

      expect([keysOf(first.rows), keysOf(rest.rows)]).toEqual([
        ['5', '4'],
        ['3', '2', '0'],
      ]);
    });

    it('continues with a token in both headers, in brackets on later pages', async () => {
      const table = await withRows('1', '2', '3', '4', '5');

      const seen: unknown[] = [];
      const tokens: string[] = [];
      let next: Record<string, string> = {};
      do {
        const page = await client.get(withQuery(`/${table}()`, { $top: 2, ...next }));
        seen.push(...keysOf(page.rows));
        const partition = page.headers['x-ms-continuation-nextpartitionkey'];
        next = {};
        if (partition !== undefined) {
          expect(page.headers['x-ms-continuation-nextrowkey']).toBe('NA');
          tokens.push(partition);
          next = { NextPartitionKey: partition, NextRowKey: 'NA' };
        }
      } while ('NextPartitionKey' in next);

      const token = '\\{"token":"[^"]+","range":\\{"min":"","max":"FF"\\}\\}';
      expect(seen).toEqual(['1', '2', '3', '4', '5']);
      expect(tokens).toEqual([expect.stringMatching(`^${token}$`), expect.stringMatching(`^\\[${token}\\]$`)]);
    });

    it('has no token on a last page that is full', async () => {
      const table = await withRows('1', '2');

      const page = await client.get(withQuery(`/${table}()`, { $top: 2 }));

      expect(page.headers['x-ms-continuation-nextpartitionkey']).toBeUndefined();
    });

    it.each(['x', '{"token":"+RID:~#RT:1#TRC:1","range":{"min":"","max":"FF"}}', '1!4!cA--'])(
      'rejects the token %s',
      async (token) => {
        const table = await withRows('1');

        const answer = await client.get(withQuery(`/${table}()`, { NextPartitionKey: token, NextRowKey: 'NA' }));

        expect([answer.status, answer.body.includes('"InvalidInput"')]).toEqual([400, true]);
      },
    );

    it('takes a $top above 1000', async () => {
      const table = await withRows('1', '2');

      const answer = await client.get(withQuery(`/${table}()`, { $top: 100_000 }));

      expect(keysOf(answer.rows)).toEqual(['1', '2']);
    });

    it.each(['aaa bbb ccc', "PartitionKey eq 'p", '(N eq 1', 'N foo 1'])(
      'rejects the filter %s, without a position',
      async (filter) => {
        const table = await withRows('1');

        const answer = await client.get(withQuery(`/${table}()`, { $filter: filter }));

        expectCosmosError(answer, {
          ...{ status: 400, code: 'InvalidInput', message: 'Request url is invalid.' },
          ...{ form: 'long', level: 'minimalmetadata' },
        });
      },
    );

    it.each([
      ["RowKey eq '2'", ['2']],
      ['N lt 2 or N ge 3 and N le 3', ['1', '3']],
      ['N gt 1 and not (N eq 3)', ['2']],
      ['N ne 2', ['1', '3']],
    ])('finds the rows of %s', async (filter, expected) => {
      const table = await withRows('1', '2', '3');

      const answer = await client.get(withQuery(`/${table}()`, { $filter: filter }));

      expect(keysOf(answer.rows)).toEqual(expected);
    });

    // Source: cosmos 15.7.
    it.each([
      ["PartitionKey eq X'666f6f'", ['1', 'bar']],
      ["RowKey eq X'626172'", ['bar']],
      ["PartitionKey eq binary'666f6f' and RowKey eq X'626172'", ['bar']],
      ["S eq X'c3a9'", ['1']],
      ["B eq X'c3a9'", ['bar']],
      ["A eq X'c3a9'", ['1', 'bar']],
      ["A ne X'c3a9'", []],
      ["A gt X'c3a8'", ['1', 'bar']],
      ["not (A eq X'c3a9')", []],
      ["A eq X'c3a9' and S eq 'é'", ['1']],
      ["RowKey eq X'ff'", []],
    ])('finds strings of the same bytes by the binary literal in %s', async (filter, expected) => {
      const table = await withTable();
      await client.post(`/${table}`, { PartitionKey: 'foo', RowKey: '1', S: 'é', A: 'é' });
      const binary = { B: 'w6k=', 'B@odata.type': 'Edm.Binary', A: 'w6k=', 'A@odata.type': 'Edm.Binary' };
      await client.post(`/${table}`, { PartitionKey: 'foo', RowKey: 'bar', ...binary });

      const answer = await client.get(withQuery(`/${table}()`, { $filter: filter }));

      expect(answer.status, answer.body).toBe(200);
      expect(keysOf(answer.rows)).toEqual(expected);
    });

    // Source: cosmos 15.8.
    it('takes the names in $select with their blanks', async () => {
      const table = await withTable();
      const path = `/${table}(PartitionKey='p',RowKey='r')`;
      await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', age: 1, sex: 'x' });

      const list = await client.get(withQuery(`/${table}()`, { $select: 'age, sex' }));
      const single = await client.get(withQuery(path, { $select: 'age, RowKey' }));
      const all = await client.get(withQuery(path, { $select: ' * ' }));

      expect(list.rows.map(Object.entries)).toEqual([
        [
          ['odata.etag', expect.any(String)],
          ['age', 1],
          [' sex', null],
        ],
      ]);
      expect(Object.entries(single.json).slice(2)).toEqual([
        ['age', 1],
        [' RowKey', null],
      ]);
      expect(all.json).toMatchObject({ PartitionKey: 'p', age: 1, sex: 'x' });
    });
  },
  { cosmos: true },
);
