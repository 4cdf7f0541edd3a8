import { expect, it } from 'vitest';
import type { Answer } from '../../support/answers/answer.js';
import { type CosmosFailure, expectCosmosError } from '../../support/answers/cosmos-answers.js';
import { describeService } from '../../support/servers/describe-service.js';

const merge = { headers: { 'X-HTTP-Method': 'MERGE' } };
const invalid: CosmosFailure = {
  ...{ status: 400, code: 'InvalidInput', message: 'One of the input values is invalid.' },
  ...{ form: 'long', level: 'fullmetadata' },
};

// Source: cosmos 15.2; cosmos 15.4; cosmos 15.5; cosmos 15.18.
describeService(
  'Cosmos DB, bodies of writes',
  ({ client, withTable }) => {
    /** Sends a property as an insert, a replace and a merge, each of a new entity. */
    const writeAll = async (property: string): Promise<{ table: string; answers: readonly Answer[] }> => {
      const table = await withTable();
      const path = (row: string) => `/${table}(PartitionKey='p',RowKey='${row}')`;
      const answers = [
        await client.post(`/${table}`, `{"PartitionKey":"p","RowKey":"a",${property}}`),
        await client.put(path('b'), `{${property}}`),
        await client.post(path('c'), `{${property}}`, merge),
      ];
      return { table, answers };
    };

    it.each(['9223372036854775808', '-9223372036854775809', '9223372036854775808000', `1${'0'.repeat(400)}`])(
      'rejects the bare integer %s, which Int64 cannot hold',
      async (number) => {
        const { table, answers } = await writeAll(`"A":${number}`);

        for (const answer of answers) expectCosmosError(answer, invalid);
        expect((await client.get(`/${table}()`)).rows).toEqual([]);
      },
    );

    it.each(['9223372036854775807', '-9223372036854775808', '9223372036854775808.5', '1e19'])(
      'takes the bare number %s',
      async (number) => {
        const { answers } = await writeAll(`"A":${number}`);

        expect(answers.map(({ status }) => status)).toEqual([201, 204, 204]);
      },
    );

    it('takes an integer of any size that is annotated as a Double', async () => {
      const { answers } = await writeAll('"A@odata.type":"Edm.Double","A":9223372036854775808000');

      expect(answers.map(({ status }) => status)).toEqual([201, 204, 204]);
    });

    it.each([
      ['42', 42],
      ['-1.5', -1.5],
      ['true', true],
    ])('keeps the value %s that is annotated as Edm.String', async (sent, expected) => {
      const { table, answers } = await writeAll(`"A":${sent},"A@odata.type":"Edm.String"`);

      expect(answers.map(({ status }) => status)).toEqual([201, 204, 204]);
      const { rows } = await client.get(`/${table}()`);
      expect(rows.map((row) => row['A'])).toEqual([expected, expected, expected]);
      expect(rows[0]).not.toHaveProperty('A@odata.type');
    });

    it.each(['123', 'a-b', 'with space'])('names the property %s in the rejection of its name', async (name) => {
      const { answers } = await writeAll(`"${name}":1`);

      for (const answer of answers) {
        expectCosmosError(answer, {
          ...{ status: 400, code: 'PropertyNameInvalid', form: 'long', level: 'fullmetadata' },
          message: `The property name '${name}' is invalid. See https://docs.microsoft.com/en-us/rest/api/storageservices/Understanding-the-Table-Service-Data-Model`,
        });
      }
    });

    it.each([
      '"A@odata.type":"Edm.Int64","A":"9223372036854775808"',
      '"A@odata.type":"Edm.Guid","A":"x"',
      '"RowKey":1',
      '"A":',
    ])('rejects an insert with %s, with full metadata', async (property) => {
      const table = await withTable();

      expectCosmosError(await client.post(`/${table}`, `{"PartitionKey":"p",${property}}`), invalid);
    });

    it.each(['PartitionKey', 'RowKey'])('rejects a %s that is not a string', async (key) => {
      const table = await withTable();
      const keys = { PartitionKey: 'p', RowKey: 'r', [key]: 42, [`${key}@odata.type`]: 'Edm.String' };

      expectCosmosError(await client.post(`/${table}`, keys), invalid);
    });
  },
  { cosmos: true },
);
