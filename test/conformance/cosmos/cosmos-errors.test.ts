import { expect, it } from 'vitest';
import { type CosmosFailure, expectCosmosError } from '../../support/answers/cosmos-answers.js';
import { withQuery } from '../../support/clients/service-client.js';
import { describeService } from '../../support/servers/describe-service.js';
import { tableAccess, withAccess } from '../../support/signatures/sign-access.js';

const missing = {
  status: 404,
  code: 'ResourceNotFound',
  message: 'The specified resource does not exist.',
  form: 'short',
} as const;
const changed = {
  status: 412,
  code: 'UpdateConditionNotSatisfied',
  message: 'The update condition specified in the request was not satisfied.',
  form: 'short',
} as const;
const unsupported: CosmosFailure = {
  status: 501,
  code: 'NotImplemented',
  message: 'The requested operation is not supported.',
  form: 'long',
  level: 'fullmetadata',
};
const notAllowed: CosmosFailure = { ...unsupported, status: 405, code: 'MethodNotAllowed' };
const otherTag = `W/"datetime'2020-01-01T00%3A00%3A00.0000000Z'"`;

// Source: cosmos 3; cosmos 7; cosmos 8.
describeService(
  'Cosmos DB, errors',
  ({ client, withTable, withEntity, service }) => {
    const tunnelled = { 'X-HTTP-Method': 'MERGE' };

    it('does not find an entity, or a table, under one code: ResourceNotFound', async () => {
      const table = await withTable();

      for (const name of [table, 'NoSuchTable']) {
        const path = `/${name}(PartitionKey='p',RowKey='r')`;
        expectCosmosError(await client.get(path), { ...missing, level: 'minimalmetadata' });
        expectCosmosError(await client.put(path, { A: 1 }, { ifMatch: '*' }), { ...missing, level: 'fullmetadata' });
        expectCosmosError(await client.delete(path, { ifMatch: '*' }), { ...missing, level: 'fullmetadata' });
        const merged = await client.post(path, { A: 1 }, { ifMatch: '*', headers: tunnelled });
        expectCosmosError(merged, { ...missing, level: 'fullmetadata' });
      }
      const inserted = await client.post('/NoSuchTable', { PartitionKey: 'p', RowKey: 'r' });
      expectCosmosError(inserted, { ...missing, level: 'minimalmetadata' });
      expectCosmosError(await client.get('/NoSuchTable()'), { ...missing, level: 'minimalmetadata' });
    });

    it('rejects a second entity with a key, at the level that was asked for', async () => {
      const { table } = await withEntity();

      const answer = await client.post(
        `/${table}`,
        { PartitionKey: 'p', RowKey: 'r' },
        { accept: 'application/json;odata=nometadata' },
      );

      expectCosmosError(answer, {
        ...{ status: 409, code: 'EntityAlreadyExists', message: 'The specified entity already exists.' },
        ...{ form: 'short', level: 'nometadata' },
      });
    });

    it('rejects a write under another tag, with full metadata', async () => {
      const { path } = await withEntity();

      const answers = [
        await client.put(path, { A: 1 }, { ifMatch: otherTag }),
        await client.post(path, { A: 1 }, { ifMatch: otherTag, headers: tunnelled }),
        await client.delete(path, { ifMatch: otherTag }),
      ];

      for (const answer of answers) expectCosmosError(answer, { ...changed, level: 'fullmetadata' });
    });

    it.each([
      [{ RowKey: 'r' }],
      [{ PartitionKey: 'p' }],
      [{ PartitionKey: '', RowKey: 'r' }],
      [{ PartitionKey: 'p', RowKey: '' }],
    ])('rejects an insert with the keys %j', async (keys) => {
      const table = await withTable();

      const answer = await client.post(`/${table}`, { ...keys, A: 1 });

      expectCosmosError(answer, {
        ...{ status: 400, code: 'PropertiesNeedValue', message: 'PartitionKey/RowKey cannot be empty' },
        ...{ form: 'long', level: 'fullmetadata' },
      });
    });

    it.each(["(PartitionKey='',RowKey='r')", "(PartitionKey='p',RowKey='')"])(
      'rejects an upsert of %s',
      async (key) => {
        const table = await withTable();

        const replaced = await client.put(`/${table}${key}`, { A: 1 });
        const merged = await client.post(`/${table}${key}`, { A: 1 }, { headers: tunnelled });

        for (const answer of [replaced, merged]) {
          expectCosmosError(answer, {
            ...{ status: 400, code: 'PropertiesNeedValue', message: 'PartitionKey/RowKey cannot be empty' },
            ...{ form: 'long', level: 'fullmetadata' },
          });
        }
      },
    );

    it.each([
      ['EntityTooLarge', 'The entity is larger than the maximum allowed size (2MB).', { A: 'x'.repeat(1024 * 1024) }],
      [
        'PropertyValueTooLarge',
        'The PartitionKey may have 1024 characters, and the RowKey 255.',
        { RowKey: 'x'.repeat(256) },
      ],
      [
        'TooManyProperties',
        'The entity contains more properties than allowed. Each entity can include up to 255.',
        Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`P${at}`, at])),
      ],
    ])('names the limit of its own in %s', async (code, message, properties) => {
      const table = await withTable();

      const answer = await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', ...properties });

      expectCosmosError(answer, { status: 400, code, message, form: 'short', level: 'fullmetadata' });
    });

    it('looks for the table before it looks at the keys', async () => {
      const answer = await client.post('/NoSuchTable', { A: 1 });

      expectCosmosError(answer, { ...missing, level: 'minimalmetadata' });
    });

    it('rejects PATCH, also in the form of a merge', async () => {
      const { path } = await withEntity();

      const answer = await client.patch(path, { B: 1 }, { ifMatch: '*' });

      expectCosmosError(answer, {
        ...{ status: 400, code: 'InvalidInput', message: 'One of the input values is invalid.' },
        ...{ form: 'long', level: 'fullmetadata' },
      });
    });

    // Source: cosmos 7; cosmos 15.13.
    it.each([
      ['GET', '/?restype=service&comp=properties', notAllowed],
      ['PUT', '/?restype=service&comp=properties', notAllowed],
      ['GET', '/?restype=service&comp=stats', unsupported],
      ['GET', '/Shared?comp=acl', unsupported],
      ['PUT', '/Shared?comp=acl', unsupported],
      ['GET', '/?comp=list', unsupported],
    ])('has no %s %s, whatever its body and Accept are', async (method, path, expected) => {
      const body = method === 'PUT' ? '<no xml' : undefined;

      const answer = await client.send(method, path, {
        body,
        accept: 'application/xml',
        headers: body === undefined ? {} : { 'Content-Type': 'application/xml' },
      });

      expectCosmosError(answer, expected);
    });

    it('knows no key ranges in signatures, and serves those without', async () => {
      const { table } = await withEntity();
      const get = (fields: object) =>
        client.get(withAccess(`/${table}()`, tableAccess(table, fields), service().account), { auth: 'none' });

      expect((await get({ sp: 'r' })).rows).toHaveLength(1);
      expectCosmosError(await get({ sp: 'r', spk: 'p', srk: 'r', epk: 'p', erk: 'r' }), {
        ...{ status: 405, code: 'MethodNotAllowed', form: 'long', level: 'minimalmetadata' },
        message: 'Shared access signature with PartitionKey or RowKey are not supported',
      });
      expect((await get({ sp: 'a' })).status).toBe(403);
    });

    it('has no Atom', async () => {
      const { path } = await withEntity();

      const answer = await client.get(path, { accept: 'application/atom+xml' });

      expect([answer.status, answer.body.includes('"MediaTypeNotSupported"')]).toEqual([415, true]);
    });

    it('has no CORS rules, so it rejects preflight requests', async () => {
      const headers = { Origin: 'http://localhost', 'Access-Control-Request-Method': 'GET' };

      const answer = await client.send('OPTIONS', withQuery('/Tables', {}), { auth: 'none', headers });

      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    });
  },
  { cosmos: true },
);
