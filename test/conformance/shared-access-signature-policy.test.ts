import { describe, expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import { describeService } from '../support/servers/describe-service.js';
import {
  type AccessFields,
  accountAccess,
  hoursFromNow,
  tableAccess,
  withAccess,
} from '../support/signatures/sign-access.js';

const bySignature = { auth: 'none' } as const;

interface Policy {
  readonly id: string;
  readonly start?: string;
  readonly expiry?: string;
  readonly permission?: string;
}

const element = (name: string, text: string | undefined) => (text === undefined ? '' : `<${name}>${text}</${name}>`);

const writePolicy = ({ id, start, expiry, permission }: Policy) =>
  `<SignedIdentifier><Id>${id}</Id><AccessPolicy>${element('Start', start)}${element('Expiry', expiry)}` +
  `${element('Permission', permission)}</AccessPolicy></SignedIdentifier>`;

describeService('Shared access signatures with a stored policy', ({ client, withEntity }) => {
  /** Creates a table with an entity and these policies. */
  const withPolicies = async (...policies: Policy[]) => {
    const stored = await withEntity();
    await setPolicies(stored.table, ...policies);
    return stored;
  };
  const setPolicies = async (table: string, ...policies: Policy[]) => {
    const body = `<SignedIdentifiers>${policies.map(writePolicy).join('')}</SignedIdentifiers>`;
    const xml = { accept: 'application/xml', headers: { 'Content-Type': 'application/xml' } };
    const answer = await client.put(`/${table}?comp=acl`, body, xml);
    expect(answer.status, answer.body).toBe(204);
  };
  const get = (table: string, fields: AccessFields) =>
    client.get(withAccess(`/${table}`, { sv: '2019-02-02', tn: table, ...fields }), bySignature);
  const whole = { id: 'whole', expiry: hoursFromNow(1), permission: 'raud' };

  it('A21 need only the name of the policy', async () => {
    const { table } = await withPolicies(whole);

    const answer = await get(table, { si: 'whole' });

    expect(answer.status, answer.body).toBe(200);
    expect(answer.rows).toHaveLength(1);
  });

  it('A21 become invalid when their policy is deleted', async () => {
    const { table } = await withPolicies(whole);
    const before = await get(table, { si: 'whole' });
    await setPolicies(table);

    const answer = await get(table, { si: 'whole' });

    expect(before.status).toBe(200);
    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1', type: 'application/json' });
  });

  it('change with their policy', async () => {
    const { table } = await withPolicies(whole);
    await setPolicies(table, { ...whole, permission: 'a' });

    const answer = await get(table, { si: 'whole' });

    expectTableError(answer, 403, 'AuthorizationPermissionMismatch');
  });

  it('become invalid with their table, and do not open a new table with its name', async () => {
    const { table } = await withPolicies(whole);
    await client.delete(`/Tables('${table}')`);
    const gone = await get(table, { si: 'whole' });
    await client.post('/Tables', { TableName: table });

    const answer = await get(table, { si: 'whole' });

    expectTableError(gone, 403, 'AuthenticationFailed', { set: 'A1' });
    expectTableError(answer, 403, 'AuthenticationFailed', { set: 'A1' });
  });

  it.each(['unknown', 'WHOLE', 'whole '])('are rejected for the policy %j', async (si) => {
    const { table } = await withPolicies(whole);

    expectTableError(await get(table, { si }), 403, 'AuthenticationFailed', { set: 'A1' });
  });

  describe('combine the fields of the URL and of the policy', () => {
    const fields = { st: hoursFromNow(-1), se: hoursFromNow(1), sp: 'r' };
    const stored = { start: fields.st, expiry: fields.se, permission: fields.sp };

    it.each([
      ['st', 'start'],
      ['se', 'expiry'],
      ['sp', 'permission'],
    ] as const)('only %s in the URL', async (field, member) => {
      const { [member]: _given, ...policy } = stored;
      const { table } = await withPolicies({ id: 'p', ...policy });

      const answer = await get(table, { si: 'p', [field]: fields[field] });

      expect(answer.status, answer.body).toBe(200);
    });

    it.each([
      ['st', 'start'],
      ['se', 'expiry'],
      ['sp', 'permission'],
    ] as const)('only %s in the policy', async (field, member) => {
      const { [field]: _given, ...sent } = fields;
      const { table } = await withPolicies({ id: 'p', [member]: stored[member] });

      const answer = await get(table, { si: 'p', ...sent });

      expect(answer.status, answer.body).toBe(200);
    });

    it.each(['st', 'se', 'sp'] as const)('A22 are rejected with %s in both', async (field) => {
      const { table } = await withPolicies({ id: 'p', ...stored });

      const answer = await get(table, { si: 'p', [field]: fields[field] });

      expectTableError(answer, 400, 'InvalidQueryParameterValue', { set: 'A3', type: 'application/json' });
    });

    it.each([
      ['se', { permission: 'r' }, {}],
      ['sp', { expiry: fields.se }, {}],
      ['both', {}, {}],
      ['se, though the URL has sp', {}, { sp: 'r' }],
    ])('are rejected with %s in neither', async (_missing, policy, sent) => {
      const { table } = await withPolicies({ id: 'p', ...policy });

      expectTableError(await get(table, { si: 'p', ...sent }), 403, 'AuthenticationFailed', { set: 'A1' });
    });

    it('do not need a start', async () => {
      const { table } = await withPolicies({ id: 'p', expiry: fields.se, permission: 'r' });

      expect(await get(table, { si: 'p' })).toMatchObject({ status: 200 });
    });
  });

  it.each([
    ['ended', { expiry: hoursFromNow(-1) }],
    ['not begun', { start: hoursFromNow(1), expiry: hoursFromNow(2) }],
    ['ended with yesterday', { expiry: hoursFromNow(-24).slice(0, 10) }],
  ])('are rejected when their policy has %s', async (_when, times) => {
    const { table } = await withPolicies({ id: 'p', permission: 'r', ...times });

    expectTableError(await get(table, { si: 'p' }), 403, 'AuthenticationFailed', { set: 'A1' });
  });

  it('find their policy in any letter case of the table', async () => {
    const { table } = await withPolicies(whole);

    const answer = await get(table, { tn: table.toUpperCase(), si: 'whole' });

    expect(answer.status, answer.body).toBe(200);
  });

  it('find only the policies of the same table', async () => {
    const { table } = await withPolicies(whole);
    const { table: other } = await withPolicies({ ...whole, id: 'other' });

    expectTableError(await get(table, { si: 'other' }), 403, 'AuthenticationFailed', { set: 'A1' });
    expect(await get(other, { si: 'other' })).toMatchObject({ status: 200 });
  });

  it('include the name of the policy in the text to sign', async () => {
    const { table } = await withPolicies(whole, { ...whole, id: 'also' });
    const path = withAccess(`/${table}`, { sv: '2019-02-02', tn: table, si: 'whole' }).replace('si=whole', 'si=also');

    expectTableError(await client.get(path, bySignature), 403, 'AuthenticationFailed', { set: 'A1' });
  });

  it('accept a policy name that needs encoding', async () => {
    const { table } = await withPolicies({ ...whole, id: 'a &amp; b+c/é' });

    const answer = await get(table, { si: 'a & b+c/é' });

    expect(answer.status, answer.body).toBe(200);
  });

  it.each([
    ['an account', accountAccess()],
    ['a table', tableAccess('TABLE')],
  ])('P11 with a signature of %s cannot read or write policies', async (_kind, access) => {
    const { table } = await withPolicies(whole);
    const path = withAccess(`/${table}?comp=acl`, 'tn' in access ? { ...access, tn: table } : access);
    const xml = { ...bySignature, accept: 'application/xml' };

    const answers = [await client.get(path, xml), await client.put(path, '', xml)];

    for (const answer of answers) {
      expectTableError(answer, 403, 'AuthorizationFailure', {
        set: 'A3',
        message: 'This request is not authorized to perform this operation.',
      });
    }
    expect(await get(table, { si: 'whole' })).toMatchObject({ status: 200 });
  });
});
