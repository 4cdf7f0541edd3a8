import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { Query } from '../../../src/address/query.js';
import { createSignature } from '../../../src/auth/create-signature.js';
import type { Identity } from '../../../src/auth/identity.js';
import {
  checkSharedAccessSignature,
  hasSignature,
  type SignatureContext,
  signedVersion,
} from '../../../src/auth/shared-access-signature.js';
import { readAccountKeys } from '../../../src/auth/signing-key.js';
import { signatureFieldNames } from '../../../src/auth/string-to-sign.js';
import type { AccessPolicy } from '../../../src/protocol/access/access-policy.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { type AccessFields, signAccess } from '../../support/signatures/sign-access.js';

const { name, keys } = developmentAccount;
const noon = '2026-11-21T12:00:00Z';

/** Checks a query at noon, over plain HTTP and from this machine, unless `changes` overrides these. */
const check = (query: string, changes: Partial<SignatureContext> = {}): Promise<Identity> =>
  checkSharedAccessSignature({
    address: parseAddress({ url: `/${name}/T?${query}`, host: 'localhost', scheme: 'http' }, new Set([name])),
    keys: readAccountKeys(keys),
    scheme: 'http',
    caller: '127.0.0.1',
    now: Date.parse(noon),
    policies: () => undefined,
    ...changes,
  });

const account: AccessFields = { sv: '2019-02-02', ss: 't', srt: 'co', sp: 'rl', se: '2026-11-22' };
const table: AccessFields = { sv: '2019-02-02', tn: 'Table', sp: 'ra', se: '2026-11-22' };
const failed = { code: 'AuthenticationFailed' };

describe('checkSharedAccessSignature', () => {
  it('returns the resource types and permissions of an account signature', async () => {
    expect(await check(signAccess(account))).toEqual({
      kind: 'account-signature',
      version: '2019-02-02',
      resourceTypes: 'co',
      permissions: 'rl',
    });
  });

  it('returns the table in lower case, the permissions and the range of a table signature', async () => {
    expect(await check(signAccess({ ...table, spk: 'a', srk: '1', epk: 'b', erk: '2' }))).toEqual({
      kind: 'table-signature',
      version: '2019-02-02',
      table: 'table',
      permissions: 'ra',
      range: {
        from: { partitionKey: 'a', rowKey: '1', side: 'before' },
        to: { partitionKey: 'b', rowKey: '2', side: 'after' },
      },
    });
  });

  it.each([
    ['starts now', { st: noon }, true],
    ['starts in a second', { st: '2026-11-21T12:00:01Z' }, false],
    ['starts in a millisecond', { st: '2026-11-21T12:00:00.001Z' }, false],
    ['expires now', { se: noon }, false],
    ['expires in a second', { se: '2026-11-21T12:00:01Z' }, true],
    ['expires in a millisecond', { se: '2026-11-21T12:00:00.0010000Z' }, true],
    ['expires within this millisecond', { se: '2026-11-21T12:00:00.0009999Z' }, false],
    ['expires in a millisecond, to the digit', { se: '2026-11-21T12:00:00.0010001Z' }, true],
    ['expires at the start of the day', { se: '2026-11-21' }, false],
    ['expires in a second, with a UTC offset', { se: '2026-11-21T13:00:01+01:00' }, true],
  ] satisfies [string, AccessFields, boolean][])(
    'checks the time of a signature that %s: %o is valid: %s',
    async (_when, fields, holds) => {
      const checking = check(signAccess({ ...table, ...fields }));

      if (holds) expect(await checking).toMatchObject({ kind: 'table-signature' });
      else await expect(checking).rejects.toMatchObject(failed);
    },
  );

  it('rejects a signature whose times are not dates', async () => {
    await expect(check(signAccess({ ...table, st: 'yesterday' }))).rejects.toMatchObject(failed);
    await expect(check(signAccess({ ...table, se: 'tomorrow' }))).rejects.toMatchObject(failed);
  });

  it.each([
    ['spk', { spk: 'a' }, { from: { partitionKey: 'a', side: 'before' } }],
    ['spk and srk', { spk: 'a', srk: '1' }, { from: { partitionKey: 'a', rowKey: '1', side: 'before' } }],
    ['epk', { epk: 'b' }, { to: { partitionKey: 'b', side: 'after' } }],
    ['epk and erk', { epk: 'b', erk: '2' }, { to: { partitionKey: 'b', rowKey: '2', side: 'after' } }],
    ['no key', {}, {}],
  ] satisfies [string, AccessFields, object][])(
    'reads the range of a signature with %s',
    async (_which, keyed, range) => {
      expect(await check(signAccess({ ...table, ...keyed }))).toHaveProperty('range', range);
    },
  );

  it.each([
    ['a table', { ...table, sv: '2012-02-11' }],
    ['the account', { ...account, sv: '2015-04-04' }],
    ['a table, with a version that is not a date', { ...table, sv: '2019-02-30' }],
    ['the account, with a version that is not a date', { ...account, sv: 'abc' }],
    ['the account, without a version', { ...account, sv: '' }],
  ] satisfies [string, AccessFields][])('rejects a signature for %s of an unknown version', async (_which, fields) => {
    await expect(check(signAccess(fields))).rejects.toMatchObject(failed);
  });

  it('accepts the first version of each kind of signature', async () => {
    expect(await check(signAccess({ ...table, sv: '2012-02-12' }))).toMatchObject({ version: '2012-02-12' });
    expect(await check(signAccess({ ...account, sv: '2015-04-05' }))).toMatchObject({ version: '2015-04-05' });
  });

  it.each([
    ['account', 'ss', account],
    ['account', 'srt', account],
    ['account', 'sp', account],
    ['account', 'se', account],
    ['table', 'sp', table],
    ['table', 'se', table],
  ] as const)('rejects an %s signature without %s', async (_kind, field, fields) => {
    await expect(check(signAccess({ ...fields, [field]: '' }))).rejects.toMatchObject(failed);
    await expect(check(signAccess({ ...fields, [field]: undefined }))).rejects.toMatchObject(failed);
  });

  it.each([
    ['srk without spk', { srk: '1', epk: 'b' }],
    ['erk without epk', { spk: 'a', erk: '2' }],
  ] satisfies [string, AccessFields][])('rejects a table signature with %s', async (_which, keyed) => {
    await expect(check(signAccess({ ...table, ...keyed }))).rejects.toMatchObject(failed);
  });

  it('ignores keys in an account signature, which does not sign them', async () => {
    expect(await check(`${signAccess(account)}&srk=1&erk=2`)).toMatchObject({ kind: 'account-signature' });
  });

  it.each(signatureFieldNames)('rejects a query in which %s is repeated', async (field) => {
    const query = signAccess({ ...table, spk: 'a', srk: '1', epk: 'b', erk: '2' });
    const value = new URLSearchParams(query).get(field) ?? '';

    await expect(check(`${query}&${field}=&${field}=${encodeURIComponent(value)}`)).rejects.toMatchObject(failed);
    expect(await check(`${query}&x=1&x=2`)).toMatchObject({ kind: 'table-signature' });
  });

  it.each([
    ['table', 'spk', table],
    ['table', 'erk', { ...table, epk: 'b' }],
    ['account', 'sp', account],
  ] as const)('rejects a line end in a field of a signature for the %s: %s', async (_kind, field, fields) => {
    await expect(check(signAccess({ ...fields, [field]: 'r\nl' }))).rejects.toMatchObject(failed);
  });

  it.each([
    [undefined, 'http', undefined],
    ['https,http', 'http', undefined],
    ['https,http', 'https', undefined],
    ['https', 'https', undefined],
    ['https', 'http', 'AuthorizationProtocolMismatch'],
    ['http', 'http', 'AuthenticationFailed'],
    ['http,https', 'https', 'AuthenticationFailed'],
  ] as const)('answers spr=%s over %s with the error %s', async (spr, scheme, code) => {
    const checking = check(signAccess({ ...table, ...(spr !== undefined && { spr }) }), { scheme });

    if (code === undefined) expect(await checking).toMatchObject({ kind: 'table-signature' });
    else await expect(checking).rejects.toMatchObject({ code });
  });

  it('names the address of a caller that the signature does not allow', async () => {
    const rejection = check(signAccess({ ...table, sip: '10.0.0.1' }));

    await expect(rejection).rejects.toMatchObject({
      code: 'AuthorizationSourceIPMismatch',
      variant: { name: 'caller-address', address: '127.0.0.1' },
    });
  });

  it('is for tables only if ss contains t', async () => {
    expect(await check(signAccess({ ...account, ss: 'bqtf' }))).toMatchObject({ kind: 'account-signature' });
    await expect(check(signAccess({ ...account, ss: 'bqf' }))).rejects.toMatchObject({
      code: 'AuthorizationServiceMismatch',
    });
  });

  it('reports the first fault in the order: signature and times, protocol, caller, service', async () => {
    const faults = { ...account, ss: 'b', sip: '10.0.0.1', spr: 'https' };
    const codes: string[] = [];
    for (const fields of [
      { ...faults, se: '2026-11-20' },
      faults,
      { ...faults, spr: 'https,http' },
      { ...faults, spr: '', sip: '' },
    ]) {
      codes.push(await check(signAccess(fields)).catch(({ code }) => code));
    }

    expect(codes).toEqual([
      'AuthenticationFailed',
      'AuthorizationProtocolMismatch',
      'AuthorizationSourceIPMismatch',
      'AuthorizationServiceMismatch',
    ]);
  });

  it('reads the policies of the table only if the signature names a policy', async () => {
    const asked: string[] = [];
    const policies = (of: string): AccessPolicy[] => {
      asked.push(of);
      return [{ id: 'p', permission: 'd', expiry: '2026-11-22T00:00:00.0000000Z' }];
    };

    await check(signAccess(table), { policies });
    const identity = await check(signAccess({ sv: '2019-02-02', tn: 'Table', si: 'p' }), { policies });

    expect(asked).toEqual(['Table']);
    expect(identity).toMatchObject({ permissions: 'd' });
  });

  it('accepts a signature with any key of the account', async () => {
    const second = Buffer.from('another key').toString('base64');
    const query = signAccess(table, { name, keys: [second] });

    await expect(check(query)).rejects.toMatchObject(failed);
    expect(await check(query, { keys: readAccountKeys([keys[0] ?? '', second]) })).toMatchObject({ permissions: 'ra' });
  });

  it('rejects every signature if the account does not have keys', async () => {
    await expect(check(signAccess(table), { keys: [] })).rejects.toMatchObject(failed);
  });

  it('accepts an IPv4 address that is mapped to IPv6', async () => {
    const query = signAccess({ ...table, sip: '127.0.0.1' });

    expect(await check(query, { caller: '::ffff:127.0.0.1' })).toMatchObject({ kind: 'table-signature' });
    await expect(check(query, { caller: '::1' })).rejects.toMatchObject({ code: 'AuthorizationSourceIPMismatch' });
  });
});

describe('A signature that names a stored access policy', () => {
  const stored = { start: '2026-11-20T00:00:00Z', expiry: '2026-11-22T00:00:00Z', permission: 'au' };
  const byPolicy: AccessFields = { sv: '2019-02-02', tn: 'Table', si: 'p' };
  const checkWith = (policy: Omit<AccessPolicy, 'id'>, fields: AccessFields) =>
    check(signAccess(fields), {
      policies: async () => [
        { id: 'other', permission: 'd' },
        { id: 'p', ...policy },
      ],
    });

  it('gets start, expiry and permissions from the policy', async () => {
    expect(await checkWith(stored, byPolicy)).toMatchObject({ permissions: 'au' });
    await expect(checkWith({ ...stored, start: '2026-11-21T12:00:01Z' }, byPolicy)).rejects.toMatchObject(failed);
    await expect(checkWith({ ...stored, expiry: noon }, byPolicy)).rejects.toMatchObject(failed);
  });

  it.each([
    ['start', 'st', '2026-11-20'],
    ['expiry', 'se', '2026-11-22'],
    ['permission', 'sp', 'r'],
  ] as const)('has the %s either in the policy or in its field %s', async (stands, field, value) => {
    const { [stands]: _, ...others } = stored;

    expect(await checkWith(others, { ...byPolicy, [field]: value })).toMatchObject({ kind: 'table-signature' });
    await expect(checkWith(stored, { ...byPolicy, [field]: value })).rejects.toMatchObject({
      code: 'InvalidQueryParameterValue',
      variant: { name: 'policy-field-repeated' },
    });
  });

  it.each(['expiry', 'permission'] as const)('is rejected if neither of the two has the %s', async (missing) => {
    const { [missing]: _, ...others } = stored;

    await expect(checkWith(others, byPolicy)).rejects.toMatchObject(failed);
  });

  it('is rejected if the policy or the table does not exist', async () => {
    await expect(checkWith(stored, { ...byPolicy, si: 'P' })).rejects.toMatchObject(failed);
    await expect(check(signAccess(byPolicy), { policies: () => undefined })).rejects.toMatchObject(failed);
  });

  it('is rejected for an account, which has no policies', async () => {
    const policies = () => [{ id: 'p', ...stored }];
    const withoutTable = signAccess({ ...account, sp: '', se: '', si: 'p' });

    await expect(check(withoutTable, { policies })).rejects.toMatchObject(failed);
  });
});

describe('createSignature', () => {
  it.each([
    ['the account', { ss: 't', srt: 'sco', sp: 'rwdlacu', st: '2026-11-21', se: '2026-11-22', sip: '127.0.0.1' }],
    ['the account, for HTTPS', { ss: 't', srt: 's', sp: 'r', se: '2026-11-22', spr: 'https' }],
    ['a table', { tn: 'Table', sp: 'raud', se: '2026-11-22' }],
    ['a range', { tn: 'Table', sp: 'r', se: '2026-11-22', spk: 'ü +&=', srk: '1', epk: 'b', erk: '2' }],
    ['a policy', { tn: 'Table', si: 'policy' }],
  ] satisfies [string, AccessFields][])('creates the same signature as an independent signer: %s', (_what, fields) => {
    const made = new URLSearchParams(createSignature(fields, name, keys[0] ?? ''));
    const expected = new URLSearchParams(signAccess({ sv: '2019-02-02', ...fields }));

    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(expected));
  });
});

describe('signedVersion', () => {
  it.each([
    ['sv=2019-02-02&api-version=2020-12-06', '2021-08-06', '2020-12-06'],
    ['sv=2019-02-02', '2021-08-06', '2021-08-06'],
    ['sv=2019-02-02', undefined, '2019-02-02'],
    ['sv=2013-08-15', '2021-08-06', '2013-08-15'],
    ['sv=2012-02-12', '2021-08-06', '2012-02-12'],
    ['sv=2014-02-14', '2021-08-06', '2021-08-06'],
    ['sv=abc', '2021-08-06', '2021-08-06'],
    ['sv=abc', undefined, undefined],
    ['', undefined, undefined],
  ])('for %j with the header %s is %s', (query, named, version) => {
    expect(signedVersion(new Query(query), named)).toBe(version);
  });
});

describe('hasSignature', () => {
  it.each([
    ['sig=x', true],
    ['sig=', true],
    ['sv=2019-02-02&tn=t', false],
    ['SIG=x', false],
  ])('for %s is %s', (query, has) => {
    expect(hasSignature(new Query(query))).toBe(has);
  });
});
