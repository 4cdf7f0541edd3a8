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
import type { AccessPolicy } from '../../../src/protocol/access-policy.js';
import { developmentAccount } from '../../../src/protocol/accounts.js';
import { type AccessFields, signAccess } from '../../support/sign-access.js';

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

  it('refuses every signature if the account does not have keys', async () => {
    await expect(check(signAccess(table), { keys: [] })).rejects.toMatchObject(failed);
  });

  it('accepts an IPv4 address that is mapped to IPv6', async () => {
    const query = signAccess({ ...table, sip: '127.0.0.1' });

    expect(await check(query, { caller: '::ffff:127.0.0.1' })).toMatchObject({ kind: 'table-signature' });
    await expect(check(query, { caller: '::1' })).rejects.toMatchObject({ code: 'AuthorizationSourceIPMismatch' });
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
