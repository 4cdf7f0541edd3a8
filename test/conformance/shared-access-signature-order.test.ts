import { it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import type { RequestOptions } from '../support/clients/service-client.js';
import { describeService } from '../support/servers/describe-service.js';
import { type AccessFields, accountAccess, tableAccess, withAccess } from '../support/signatures/sign-access.js';

const bySignature = { auth: 'none' } as const;
const settings = '<StorageServiceProperties><Cors /></StorageServiceProperties>';

describeService('The check of permissions', ({ client, withTable, withEntity }) => {
  it.each(['Missing', "Missing(PartitionKey='p',RowKey='r')"])(
    'is after the check of the table for a read of %s',
    async (path) => {
      const answer = await client.get(withAccess(`/${path}`, tableAccess('Other')), bySignature);

      expectTableError(answer, 404, 'TableNotFound', { set: 'B1' });
    },
  );

  it('is after the check of the table for a write', async () => {
    const path = withAccess('/Missing', tableAccess('Other'));

    const answer = await client.post(path, { PartitionKey: 'p', RowKey: 'r' }, bySignature);

    expectTableError(answer, 404, 'TableNotFound', { set: 'B1' });
  });

  it('is after the syntax of a filter', async () => {
    const table = await withTable();
    const path = withAccess(`/${table}?$filter=aaa%20bbb%20ccc`, tableAccess(table, { sp: 'a' }));

    const message = "Syntax error at position 7 in 'aaa bbb ccc'.";
    expectTableError(await client.get(path, bySignature), 400, 'InvalidInput', { set: 'B1', message });
  });

  it('is after errors in the body that are found while reading', async () => {
    const table = await withTable();
    const path = withAccess(`/${table}`, tableAccess(table, { sp: 'r' }));

    const answer = await client.post(path, { PartitionKey: 'p', RowKey: 'r', '1a': 1 }, bySignature);

    expectTableError(answer, 400, 'PropertyNameInvalid', { set: 'B1' });
  });

  it('is before the check for missing keys', async () => {
    const table = await withTable();
    const path = withAccess(`/${table}`, tableAccess(table, { sp: 'r' }));

    const answer = await client.post(path, { PartitionKey: 'p' }, bySignature);

    expectTableError(answer, 403, 'AuthorizationPermissionMismatch', { set: 'B2' });
  });

  it('is before the range of keys, and the range is before the stored entity', async () => {
    const { table } = await withEntity();
    const insert = { PartitionKey: 'p', RowKey: 'r' };
    const range = { spk: 'q' };

    const first = await client.post(
      withAccess(`/${table}`, tableAccess(table, { sp: 'r', ...range })),
      insert,
      bySignature,
    );
    const second = await client.post(withAccess(`/${table}`, tableAccess(table, range)), insert, bySignature);
    const third = await client.post(withAccess(`/${table}`, tableAccess(table)), insert, bySignature);

    expectTableError(first, 403, 'AuthorizationPermissionMismatch', { set: 'B2' });
    expectTableError(second, 403, 'AuthorizationFailure', { set: 'B2' });
    expectTableError(third, 409, 'EntityAlreadyExists', { set: 'B2' });
  });

  it('is before the condition of an update', async () => {
    const { table, path } = await withEntity();
    const stale = { ...bySignature, ifMatch: `W/"datetime'2020-01-01T00%3A00%3A00.0000001Z'"` };

    const rejected = await client.put(withAccess(path, tableAccess(table, { sp: 'r' })), {}, stale);
    const taken = await client.put(withAccess(path, tableAccess(table, { sp: 'u' })), {}, stale);

    expectTableError(rejected, 403, 'AuthorizationPermissionMismatch', { set: 'B2' });
    expectTableError(taken, 412, 'UpdateConditionNotSatisfied', { set: 'B2' });
  });

  it('is after the body of a new table, and before its name', async () => {
    const path = withAccess('/Tables', accountAccess({ sp: 'r' }));

    const unreadable = await client.post(path, { TableName: 5 }, bySignature);
    const nameless = await client.post(path, { TableName: '-' }, bySignature);

    expectTableError(unreadable, 400, 'InvalidInput', { set: 'B1' });
    expectTableError(nameless, 403, 'AuthorizationPermissionMismatch', { set: 'B2' });
  });

  it('is before the options of Query Tables', async () => {
    const path = withAccess('/Tables?$filter=aaa%20bbb%20ccc', accountAccess({ sp: 'r' }));

    expectTableError(await client.get(path, bySignature), 403, 'AuthorizationPermissionMismatch', { set: 'B2' });
  });

  it('is before the existence of a table for Get Table and Delete Table', async () => {
    const path = withAccess("/Tables('Missing')", accountAccess({ srt: 'o' }));

    for (const method of ['GET', 'DELETE']) {
      const answer = await client.send(method, path, bySignature);
      expectTableError(answer, 403, 'AuthorizationResourceTypeMismatch', { set: 'B2' });
    }
  });

  it('checks the resource type before the permission', async () => {
    const path = withAccess('/Tables', accountAccess({ srt: 'o', sp: 'r' }));

    expectTableError(await client.get(path, bySignature), 403, 'AuthorizationResourceTypeMismatch', { set: 'B2' });
  });

  it('checks the table before the permission', async () => {
    const [table, other] = [await withTable(), await withTable()];
    const path = withAccess(`/${other}`, tableAccess(table, { sp: 'a' }));

    expectTableError(await client.get(path, bySignature), 403, 'AuthorizationFailure', { set: 'B2' });
  });

  it('is after the format of the answer: errors have the requested metadata level', async () => {
    const table = await withTable();
    const path = withAccess(`/${table}`, tableAccess(table, { sp: 'a' }));

    const whole = await client.get(path, { ...bySignature, accept: 'application/json;odata=fullmetadata' });
    const atom = await client.get(path, { ...bySignature, accept: 'application/atom+xml' });

    expectTableError(whole, 403, 'AuthorizationPermissionMismatch', { set: 'B2', level: 'fullmetadata' });
    expectTableError(atom, 415, 'AtomFormatNotSupported', { set: 'B1' });
  });

  it.each<[string, RequestOptions]>([
    ['the format of the body', { body: 'no XML', accept: 'application/xml' }],
    ['the size of the body', { body: 'x'.repeat(4 * 1024 * 1024 + 1), accept: 'application/xml' }],
    ['Accept', { body: settings, accept: 'application/json' }],
    ['the timeout', { body: settings, accept: 'application/xml' }],
  ])('is before %s for Set Table Service Properties', async (what, options) => {
    const timeout = what === 'the timeout' ? '&timeout=x' : '';
    const put = (access: AccessFields) =>
      client.put(withAccess(`/?restype=service&comp=properties${timeout}`, access), options.body, {
        ...bySignature,
        ...options,
      });

    const letter = await put(accountAccess({ sp: 'r' }));
    const type = await put(accountAccess({ srt: 'co' }));
    const kind = await put(tableAccess('Any'));

    expectTableError(letter, 403, 'AuthorizationPermissionMismatch', { set: 'A3' });
    expectTableError(type, 403, 'AuthorizationResourceTypeMismatch', { set: 'A3' });
    expectTableError(kind, 403, 'AuthorizationFailure', { set: 'A3' });
  });

  it.each(['properties', 'stats'])('is before Accept for a read of %s', async (comp) => {
    const path = withAccess(`/?restype=service&comp=${comp}`, accountAccess({ srt: 'o' }));

    const answer = await client.get(path, { ...bySignature, accept: 'application/json' });

    expectTableError(answer, 403, 'AuthorizationResourceTypeMismatch', { set: 'A3' });
  });

  it('is before the endpoint for Get Table Service Stats, and the endpoint is before Accept', async () => {
    const path = (srt: string) => withAccess('/?restype=service&comp=stats', accountAccess({ srt }));

    const rejected = await client.get(path('o'), { ...bySignature, accept: 'application/xml' });
    const primary = await client.get(path('s'), { ...bySignature, accept: 'application/json' });

    expectTableError(rejected, 403, 'AuthorizationResourceTypeMismatch', { set: 'A3' });
    expectTableError(primary, 400, 'InvalidQueryParameterValue', { set: 'A3' });
  });
});
