import { describe, expect, it } from 'vitest';
import { type BearerContext, checkBearerToken, refuseBearer } from '../../../src/auth/bearer-token.js';
import { goodClaims, writeToken } from '../../support/https-token.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const seconds = now / 1000;
const claims = { ...goodClaims(), iat: seconds, nbf: seconds - 60, exp: seconds + 60 };
const check = (changes: Readonly<Record<string, unknown>>, context: Partial<BearerContext> = {}) =>
  checkBearerToken(writeToken({ ...claims, ...changes }), {
    account: 'devstoreaccount1',
    version: '2019-02-02',
    now,
    ...context,
  });
const taken = { kind: 'bearer-token' };
const failed = { code: 'AuthenticationFailed' };

describe('checkBearerToken', () => {
  it('takes a token whose claims hold, whoever signed it', async () => {
    expect(await check({})).toEqual(taken);
  });

  it('takes one from the second it is valid until the second it expires', async () => {
    expect(await check({ nbf: seconds, exp: seconds + 1 })).toEqual(taken);
    await expect(check({ nbf: seconds + 1 })).rejects.toMatchObject(failed);
    await expect(check({ exp: seconds })).rejects.toMatchObject(failed);
  });

  it('takes one of several audiences when one of them is the service', async () => {
    expect(await check({ aud: ['https://vault.azure.net', 'https://storage.azure.com'] })).toEqual(taken);
    await expect(check({ aud: ['https://vault.azure.net'] })).rejects.toMatchObject(failed);
    await expect(check({ aud: [] })).rejects.toMatchObject(failed);
  });

  it('compares the account of an audience with that of the address', async () => {
    const aud = 'https://second.table.core.windows.net';

    expect(await check({ aud }, { account: 'second' })).toEqual(taken);
    await expect(check({ aud })).rejects.toMatchObject(failed);
  });

  it.each([
    ['no token at all', 'abc'],
    ['two parts', 'e30.e30'],
    ['a payload that is no JSON', `e30.${Buffer.from('{').toString('base64url')}.x`],
    ['a payload that is no object', `e30.${Buffer.from('[]').toString('base64url')}.x`],
    ['a payload of text', `e30.${Buffer.from('"a"').toString('base64url')}.x`],
  ])('cannot read %s', async (_what, token) => {
    const context = { account: 'devstoreaccount1', version: undefined, now };

    await expect(checkBearerToken(token, context)).rejects.toMatchObject({ code: 'InvalidAuthenticationInfo' });
  });
});

describe('refuseBearer', () => {
  it.each([
    [undefined, 'NoAuthenticationInformation'],
    ['2019-02-02', 'AuthenticationFailed'],
    ['2019-10-10', 'AuthenticationFailed'],
    ['2019-12-12', 'NoAuthenticationInformation'],
    ['2020-12-06', 'NoAuthenticationInformation'],
  ])('under version %s is %s', (version, code) => {
    expect(refuseBearer(version).code).toBe(code);
  });
});
