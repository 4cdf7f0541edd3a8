import { describe, expect, it } from 'vitest';
import { type BearerContext, checkBearerToken, rejectBearer } from '../../../src/auth/authenticate.js';
import { goodClaims, writeToken } from '../../support/signatures/https-token.js';

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
const accepted = { kind: 'bearer-token' };
const failed = { code: 'AuthenticationFailed' };

describe('checkBearerToken', () => {
  it('accepts a token with valid claims and any signature', async () => {
    expect(await check({})).toEqual(accepted);
  });

  it('accepts a token from the second of nbf until the second before exp', async () => {
    expect(await check({ nbf: seconds, exp: seconds + 1 })).toEqual(accepted);
    await expect(check({ nbf: seconds + 1 })).rejects.toMatchObject(failed);
    await expect(check({ exp: seconds })).rejects.toMatchObject(failed);
  });

  it('accepts several audiences if one of them is the service', async () => {
    expect(await check({ aud: ['https://vault.azure.net', 'https://storage.azure.com'] })).toEqual(accepted);
    await expect(check({ aud: ['https://vault.azure.net'] })).rejects.toMatchObject(failed);
    await expect(check({ aud: [] })).rejects.toMatchObject(failed);
  });

  it('accepts an audience with the account of the request, and rejects other accounts', async () => {
    const aud = 'https://second.table.core.windows.net';

    expect(await check({ aud }, { account: 'second' })).toEqual(accepted);
    await expect(check({ aud })).rejects.toMatchObject(failed);
  });

  it.each([
    ['a table of another cloud', 'https://devstoreaccount1.table.core.chinacloudapi.cn'],
    ['a table of a cloud for governments', 'https://devstoreaccount1.table.core.usgovcloudapi.net/'],
    ['the service, with a final slash', 'https://storage.azure.com/'],
    ['the id of the service', 'e406a681-f3d4-42a8-90b6-c2b029497af1'],
  ])('accepts as audience %s: %s', async (_what, aud) => {
    expect(await check({ aud })).toEqual(accepted);
  });

  it.each([
    'https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/',
    'https://sts.microsoftonline.de/x',
    'https://sts.chinacloudapi.cn/x',
    'https://sts.windows-ppe.net',
  ])('accepts the issuer %s', async (iss) => {
    expect(await check({ iss })).toEqual(accepted);
  });

  it.each(['nbf', 'exp', 'iat', 'iss', 'aud'])(
    'rejects a token without %s, or with another type of it',
    async (claim) => {
      for (const value of [undefined, null, true, {}, [{}]]) {
        await expect(check({ [claim]: value })).rejects.toMatchObject(failed);
      }
    },
  );

  it.each([
    ['nbf', seconds - 60],
    ['exp', seconds + 60],
    ['iat', seconds],
  ])('rejects a token whose %s is a text', async (claim, value) => {
    await expect(check({ [claim]: String(value) })).rejects.toMatchObject(failed);
  });

  it.each([
    ['issuer', { iss: 'https://example.com/https://sts.windows.net/' }],
    ['audience', { aud: 'https://storage.azure.com.example.com' }],
    ['audience', { aud: 'https://storage.azure.com//' }],
    ['audience', { aud: 'http://devstoreaccount1.table.core.windows.net' }],
  ])('rejects the other %s in %o', async (_which, changes) => {
    await expect(check(changes)).rejects.toMatchObject(failed);
  });

  it.each([
    ['a text that is not a token', 'abc'],
    ['a token with two parts', 'e30.e30'],
    ['a payload that is not JSON', `e30.${Buffer.from('{').toString('base64url')}.x`],
    ['a payload that is an array', `e30.${Buffer.from('[]').toString('base64url')}.x`],
    ['a payload that is a string', `e30.${Buffer.from('"a"').toString('base64url')}.x`],
  ])('rejects %s with InvalidAuthenticationInfo', async (_what, token) => {
    const context = { account: 'devstoreaccount1', version: undefined, now };

    await expect(checkBearerToken(token, context)).rejects.toMatchObject({ code: 'InvalidAuthenticationInfo' });
  });
});

describe('rejectBearer', () => {
  it.each([
    [undefined, 'InvalidAuthenticationInfo'],
    ['2019-02-02', 'AuthenticationFailed'],
    ['2019-12-12', 'AuthenticationFailed'],
    ['2020-10-02', 'AuthenticationFailed'],
    ['2020-12-06', 'InvalidAuthenticationInfo'],
    ['2025-07-05', 'InvalidAuthenticationInfo'],
  ])('returns for version %s the error %s', (version, code) => {
    expect(rejectBearer(version).code).toBe(code);
  });
});
