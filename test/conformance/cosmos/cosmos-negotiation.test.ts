import { expect, it } from 'vitest';
import type { Answer } from '../../support/answers/answer.js';
import { type CosmosFailure, cosmosType, expectCosmosError } from '../../support/answers/cosmos-answers.js';
import type { RequestOptions } from '../../support/clients/service-client.js';
import { describeService } from '../../support/servers/describe-service.js';
import { tableAccess, withAccess } from '../../support/signatures/sign-access.js';

const full = cosmosType('fullmetadata');
const json = 'application/json';
const merge = { 'X-HTTP-Method': 'MERGE' };
const anyKey = "(PartitionKey='p',RowKey='r')";
const unacceptable: CosmosFailure = {
  ...{ status: 415, code: 'MediaTypeNotSupported', message: 'None of the provided media types are supported' },
  ...{ form: 'long', level: 'fullmetadata' },
};

// Source: cosmos 15.2; cosmos 15.3; cosmos 15.6.
describeService(
  'Cosmos DB, the form of answers',
  ({ client, withTable, withEntity, service }) => {
    const typeOf = ({ status, headers }: Answer) => [status, headers['content-type']];
    const replace = (path: string, options: RequestOptions = {}) => client.put(path, { A: 1 }, options);
    const mergeInto = (path: string, { headers, ...options }: RequestOptions = {}) =>
      client.post(path, { A: 1 }, { ...options, headers: { ...merge, ...headers } });

    it.each(['*/*', 'text/html', 'application/xml', 'text/html, */*;q=0.8', 'application/*'])(
      'rejects an upsert under Accept: %s, and writes nothing',
      async (accept) => {
        const table = await withTable();

        for (const write of [replace, mergeInto]) {
          expectCosmosError(await write(`/${table}${anyKey}`, { accept }), unacceptable);
        }
        expect((await client.get(`/${table}()`)).rows).toEqual([]);
      },
    );

    it.each([json, cosmosType('nometadata'), `text/html, ${json}`, '', false as const])(
      'takes an upsert under Accept: %s',
      async (accept) => {
        const table = await withTable();

        const answers = [
          await replace(`/${table}${anyKey}`, { accept }),
          await mergeInto(`/${table}${anyKey}`, { accept }),
        ];

        expect(answers.map(({ status }) => status)).toEqual([204, 204]);
      },
    );

    it('takes any Accept of updates with If-Match, and of deletes', async () => {
      const { path } = await withEntity();
      const options = { accept: '*/*', ifMatch: '*' };

      const answers = [
        await replace(path, options),
        await mergeInto(path, options),
        await client.delete(path, options),
      ];

      expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    });

    it('takes the level of Accept before that of $format', async () => {
      const { table, path } = await withEntity();
      const accept = cosmosType('fullmetadata');

      const answers = [
        await client.get(`${path}?$format=${json};odata=nometadata`, { accept }),
        await client.get(`/${table}()?$format=${json};odata=nometadata`, { accept }),
        await client.get(`${path}?$format=${json};odata=fullmetadata`, { accept: false }),
      ];

      expect(answers.map(typeOf)).toEqual([
        [200, full],
        [200, full],
        [200, full],
      ]);
    });

    it('has full metadata in a conflict of a write that wants no content', async () => {
      const { table } = await withEntity();
      const prefer = 'return-no-content';

      const answers = [
        await client.post('/Tables', { TableName: table }, { prefer }),
        await client.post('/Tables', { TableName: table }),
        await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' }, { prefer }),
        await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' }, { prefer: 'return-content' }),
        await client.post('/Tables', { TableName: table }, { headers: { Prefer: ' Return-No-Content' } }),
      ];

      expect(answers.map(typeOf)).toEqual([
        [409, full],
        [409, cosmosType()],
        [409, full],
        [409, cosmosType()],
        [409, full],
      ]);
    });

    it('has the type of Accept in an upsert that is forbidden, or whose table is missing', async () => {
      const table = await withTable();
      const signed = (path: string) => withAccess(path, tableAccess(table, { sp: 'r' }), service().account);
      const wrong = { key: 'bm90IHRoZSBrZXk=' };

      for (const write of [replace, mergeInto]) {
        const forbidden = await write(signed(`/${table}${anyKey}`), { accept: json, auth: 'none' });
        const missing = await write(`/NoSuchTable${anyKey}`, { accept: json });
        const unsigned = await write(`/${table}${anyKey}`, { accept: json, ...wrong });
        const levels = await write(`/NoSuchTable${anyKey}`, { accept: cosmosType('nometadata') });

        expect([forbidden, missing, unsigned, levels].map(typeOf)).toEqual([
          [403, json],
          [404, json],
          [403, json],
          [404, cosmosType('nometadata')],
        ]);
      }
    });

    it('has full metadata in a conditional update or a delete that is forbidden', async () => {
      const { path } = await withEntity();
      const options = { accept: json, ifMatch: '*', key: 'bm90IHRoZSBrZXk=' };

      const answers = [
        await replace(path, options),
        await mergeInto(path, options),
        await client.delete(path, options),
      ];

      expect(answers.map(typeOf)).toEqual([
        [403, full],
        [403, full],
        [403, full],
      ]);
    });
  },
  { cosmos: true },
);
