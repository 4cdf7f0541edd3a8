import { expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import {
  batchBoundary,
  expectFailure,
  expectParts,
  insert,
  type PartRequest,
  read,
  remove,
  update,
  writeBare,
  writeChangeSet,
} from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';
import {
  type AccessFields,
  accountAccess,
  signAccess,
  tableAccess,
  withAccess,
} from '../support/signatures/sign-access.js';

const permission = 'This request is not authorized to perform this operation using this permission.';
const rejected = 'This request is not authorized to perform this operation.';

describeService(
  'Shared access signatures of an entity group transaction',
  ({ client, service, withTable, withEntity }) => {
    const absolute = (part: PartRequest) => ({ ...part, url: `${service().base}${part.url}` });
    const send = (access: AccessFields, body: string) =>
      client.post(withAccess('/$batch', access), body, {
        auth: 'none',
        headers: { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` },
      });
    const sendChangeSet = (access: AccessFields, parts: readonly PartRequest[]) =>
      send(access, writeChangeSet(parts.map(absolute)));
    const sendQuery = (access: AccessFields, part: PartRequest) => send(access, writeBare([absolute(part)]));
    const inserts = (table: string, ...rows: string[]) =>
      rows.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }));

    it.each([
      ['a table signature', (table: string) => tableAccess(table)],
      ['an account signature', () => accountAccess({ srt: 'o' })],
    ])('B26 allows every kind of operation with %s of the outer request', async (_kind, access) => {
      const { table, path } = await withEntity();
      const at = (row: string) => `/${table}(PartitionKey='p',RowKey='${row}')`;
      for (const RowKey of ['1', '2']) await client.post(`/${table}`, { PartitionKey: 'p', RowKey });

      const answer = await sendChangeSet(access(table), [
        ...inserts(table, 'new'),
        update('PUT', at('1'), { A: 1 }, 'If-Match: *'),
        update('MERGE', at('2'), { A: 1 }, 'If-Match: *'),
        update('PATCH', at('upserted'), { A: 1 }),
        remove(path),
      ]);

      expectParts(answer, ['201 Created', ...Array(4).fill('204 No Content')]);
    });

    it('B27 rejects inserts with sp=r in the part of the first, and stores none', async () => {
      const table = await withTable();

      const answer = await sendChangeSet(tableAccess(table, { sp: 'r' }), inserts(table, '1', '2'));

      expectFailure(answer, {
        status: '403 Forbidden',
        code: 'AuthorizationPermissionMismatch',
        message: `0:${permission}`,
        set: 'B2',
      });
      expect((await client.get(`/${table}`)).rows).toEqual([]);
    });

    it.each([
      ['a', 'the update', 1],
      ['au', 'the delete', 2],
      ['ad', 'the update', 1],
      ['ud', 'the insert', 0],
    ])('with sp=%s rejects %s, with its position', async (sp, _operation, index) => {
      const { table, path } = await withEntity();

      const answer = await sendChangeSet(tableAccess(table, { sp }), [
        ...inserts(table, '1'),
        update('PUT', `/${table}(PartitionKey='p',RowKey='2')`, {}, 'If-Match: *'),
        remove(path),
      ]);

      expectFailure(answer, {
        status: '403 Forbidden',
        code: 'AuthorizationPermissionMismatch',
        message: `${index}:${permission}`,
        set: 'B2',
      });
    });

    it('writes no position if there is only one operation', async () => {
      const table = await withTable();

      const answer = await sendChangeSet(tableAccess(table, { sp: 'd' }), inserts(table, '1'));

      expectFailure(answer, {
        status: '403 Forbidden',
        code: 'AuthorizationPermissionMismatch',
        message: permission,
        set: 'B2',
      });
    });

    it('rejects an upsert with sp=u', async () => {
      const table = await withTable();
      const upsert = update('MERGE', `/${table}(PartitionKey='p',RowKey='1')`, {});

      const answer = await sendChangeSet(tableAccess(table, { sp: 'u' }), [upsert]);

      expectFailure(answer, {
        status: '403 Forbidden',
        code: 'AuthorizationPermissionMismatch',
        message: permission,
        set: 'B2',
      });
    });

    it('rejects the operation outside the range of keys, and stores none', async () => {
      const table = await withTable();
      const access = tableAccess(table, { spk: 'p', srk: '1', epk: 'p', erk: '3' });

      const answer = await sendChangeSet(access, inserts(table, '1', '2', '4'));

      expectFailure(answer, {
        status: '403 Forbidden',
        code: 'AuthorizationFailure',
        message: `2:${rejected}`,
        set: 'B2',
      });
      expect((await client.get(`/${table}`)).rows).toEqual([]);
    });

    it('rejects another table', async () => {
      const [table, other] = [await withTable(), await withTable()];

      const answer = await sendChangeSet(tableAccess(table), inserts(other, '1', '2'));

      expectFailure(answer, {
        status: '403 Forbidden',
        code: 'AuthorizationFailure',
        message: `0:${rejected}`,
        set: 'B2',
      });
    });

    it('reads with sp=r, only within the range', async () => {
      const { table } = await withEntity();
      const access = (srk: string) => tableAccess(table, { sp: 'r', spk: 'p', srk });

      const within = await sendQuery(access('a'), read(`/${table}`));
      const outside = await sendQuery(access('z'), read(`/${table}`));

      const rowsIn = (answer: typeof within) => expectParts(answer, ['200 OK'])[0]?.json['value'];
      expect(rowsIn(within)).toHaveLength(1);
      expect(rowsIn(outside)).toEqual([]);
    });

    it('hides one entity outside the range', async () => {
      const { table, path } = await withEntity();

      const answer = await sendQuery(tableAccess(table, { sp: 'r', spk: 'q' }), read(path));

      expectFailure(
        answer,
        {
          status: '404 Not Found',
          code: 'ResourceNotFound',
          message: '0:The specified resource does not exist.',
          set: 'B2',
        },
        false,
      );
    });

    it('uses the outer signature, and ignores the signature of an operation', async () => {
      const table = await withTable();
      const signed = inserts(table, '1').map((part) => ({
        ...part,
        url: `${part.url}?${signAccess(tableAccess(table))}`,
      }));

      const allowed = await sendChangeSet(tableAccess(table), signed);
      const notAllowed = await sendChangeSet(tableAccess(table, { sp: 'r' }), signed);

      expectParts(allowed, ['201 Created']);
      expectParts(notAllowed, ['403 Forbidden']);
    });

    it('is rejected as a whole if the outer signature is invalid', async () => {
      const table = await withTable();

      const answer = await sendChangeSet(tableAccess(table, { se: '2020-01-01' }), inserts(table, '1'));

      expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json' });
    });
  },
);
