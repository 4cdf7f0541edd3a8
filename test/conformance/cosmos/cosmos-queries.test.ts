import { expect, it } from 'vitest';
import type { JsonObject } from '../../support/answer.js';
import { expectCosmosError } from '../../support/cosmos-answers.js';
import { describeService } from '../../support/describe-service.js';
import { withQuery } from '../../support/service-client.js';

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
      'refuses the token %s',
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
      'refuses the filter %s, without a position',
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
  },
  { cosmos: true },
);
