import { expect, it } from 'vitest';
import { cosmosEtag, cosmosType, expectCosmosHeaders } from '../../support/answers/cosmos-answers.js';
import { describeService } from '../../support/servers/describe-service.js';

const chunked = { 'Transfer-Encoding': 'chunked' };
const bare = { 'Content-Type': 'application/json' };

// Source: cosmos 1; cosmos 10.
describeService(
  'Cosmos DB, headers of answers',
  ({ client, withTable, withEntity, service }) => {
    it('answers a new table with its tag and its place', async () => {
      const answer = await client.post('/Tables', { TableName: 'Headers' });

      expect([answer.status, answer.reason]).toEqual([201, 'Ok']);
      const Location = `${service().base}/Tables('Headers')`;
      expectCosmosHeaders(answer, { 'Content-Type': cosmosType(), ETag: cosmosEtag, Location, ...chunked });
    });

    it('answers an insert with the entity, its tag and its place', async () => {
      const table = await withTable();

      const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r' });

      expect([answer.status, answer.reason]).toEqual([201, 'Created']);
      const Location = `${service().base}/${table}(PartitionKey='p',RowKey='r')`;
      expectCosmosHeaders(answer, { 'Content-Type': cosmosType(), ETag: cosmosEtag, Location, ...chunked });
    });

    it('repeats the preference of an insert, and only that of an insert that was made', async () => {
      const table = await withTable();
      const entity = { PartitionKey: 'p', RowKey: 'r' };

      const empty = await client.post(`/${table}`, entity, { prefer: 'return-no-content' });
      const again = await client.post(`/${table}`, entity, { prefer: 'return-no-content' });
      const full = await client.post(`/${table}`, { ...entity, RowKey: 's' }, { prefer: 'return-content' });

      const Location = `${service().base}/${table}(PartitionKey='p',RowKey='r')`;
      const preferred = { 'Preference-Applied': 'return-no-content' };
      expect([empty.status, again.status, full.status]).toEqual([204, 409, 201]);
      expectCosmosHeaders(empty, { ...bare, ETag: cosmosEtag, Location, ...preferred });
      expect(again.headers['preference-applied']).toBeUndefined();
      expect(full.headers['preference-applied']).toBe('return-content');
    });

    it('answers an entity with its tag, and a list without one', async () => {
      const { table, path } = await withEntity();

      const single = await client.get(path);
      const list = await client.get(`/${table}()`);
      const tables = await client.get('/Tables');

      expect([single, list, tables].map(({ reason }) => reason)).toEqual(['Ok', 'Ok', 'Ok']);
      expectCosmosHeaders(single, { 'Content-Type': cosmosType(), ETag: cosmosEtag, ...chunked });
      expectCosmosHeaders(list, { 'Content-Type': cosmosType(), ...chunked });
      expectCosmosHeaders(tables, { 'Content-Type': cosmosType(), ...chunked });
    });

    it.each(['nometadata', 'minimalmetadata', 'fullmetadata'])('names the level %s as its type', async (level) => {
      const { path } = await withEntity();

      const answer = await client.get(path, { accept: `application/json;odata=${level}` });

      expect(answer.headers['content-type']).toBe(cosmosType(level));
    });

    it.each([['*/*'], ['application/json'], [false as const]])(
      'is JSON with minimal metadata for Accept: %s',
      async (accept) => {
        const { path } = await withEntity();

        const answer = await client.get(path, { accept });

        expect(answer.headers['content-type']).toBe(cosmosType());
      },
    );

    it('answers updates with the new tag and no place, and deletes with nothing', async () => {
      const { path } = await withEntity();

      const replaced = await client.put(path, { A: 1 });
      const merged = await client.post(path, { B: 1 }, { ifMatch: '*', headers: { 'X-HTTP-Method': 'MERGE' } });
      const deleted = await client.delete(path, { ifMatch: '*' });

      expect([replaced, merged, deleted].map(({ status }) => status)).toEqual([204, 204, 204]);
      expectCosmosHeaders(replaced, { ...bare, ETag: cosmosEtag });
      expectCosmosHeaders(merged, { ...bare, ETag: cosmosEtag });
      expectCosmosHeaders(deleted, bare);
    });

    it.each(['2019-07-07', '2014-02-14', '2009-09-19', '2030-01-01', 'x'])(
      'is the same at version %s, which it does not repeat',
      async (version) => {
        const { path } = await withEntity();

        const answer = await client.get(path, { version, headers: { 'x-ms-client-request-id': 'mine' } });

        expect(answer.status).toBe(200);
        expectCosmosHeaders(answer, { 'Content-Type': cosmosType(), ETag: cosmosEtag, ...chunked });
      },
    );
  },
  { cosmos: true },
);
