import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { type Authority, authenticate, type Credentials } from '../../../src/auth/authenticate.js';
import { readAccountKeys } from '../../../src/auth/signing-key.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { writeToken } from '../../support/signatures/https-token.js';
import { signAccess } from '../../support/signatures/sign-access.js';
import { signatureOf } from '../../support/signatures/sign-request.js';

const { name, keys } = developmentAccount;
const [key = ''] = keys;
const date = 'Sat, 21 Nov 2026 01:00:00 GMT';
const now = Date.parse(date);
const signer = { scheme: 'SharedKey', account: name, key } as const;

const authority: Authority = {
  keys: readAccountKeys(keys),
  now,
  realNow: now,
  bearerTokens: true,
  policies: () => undefined,
};

/** Identifies the sender of a GET over plain HTTP. */
async function identify(
  target: string,
  authorization: string | undefined,
  changes: Partial<Credentials> = {},
  rules: Partial<Authority> = {},
) {
  const address = parseAddress({ url: target, host: 'localhost', scheme: 'http' }, new Set([name, 'second']));
  const request = { method: 'GET', address, contentMd5: '', contentType: '', date: undefined, msDate: date };
  const sender = { version: '2019-02-02', scheme: 'http', caller: '127.0.0.1' } as const;
  return authenticate({ ...request, ...sender, authorization, ...changes }, { ...authority, ...rules });
}

const path = `/${name}/Tables`;
const signature = signatureOf({ method: 'GET', target: path, date }, signer);
const failed = { code: 'AuthenticationFailed' };
const malformed = { code: 'InvalidAuthenticationInfo' };

describe('A request without credentials', () => {
  it.each([
    [undefined, 'NoAuthenticationInformation'],
    ['2020-12-06', 'NoAuthenticationInformation'],
    ['2019-12-12', 'AuthenticationFailed'],
    ['2019-10-10', 'AuthenticationFailed'],
    ['2015-12-11', 'AuthenticationFailed'],
  ])('of version %s is rejected with %s', async (version, code) => {
    await expect(identify(path, undefined, { version })).rejects.toMatchObject({ code });
  });
});

describe('A request with a signature in its query', () => {
  const signed = `${path}?${signAccess({ sv: '2019-02-02', ss: 't', srt: 'c', sp: 'l', se: '2026-11-22' })}`;

  it('is identified by it if there is no Authorization header', async () => {
    expect(await identify(signed, undefined)).toMatchObject({ kind: 'account-signature', permissions: 'l' });
  });

  it('is identified by the Authorization header if there is one', async () => {
    expect(await identify(signed, `SharedKey ${name}:${signature}`)).toEqual({ kind: 'shared-key' });
    await expect(identify(signed, `SharedKey ${name}:x`)).rejects.toMatchObject(failed);
  });
});

describe('The Authorization header', () => {
  it.each(['SharedKey', 'SharedKeyLite'] as const)('may have the scheme %s', async (scheme) => {
    const own = signatureOf({ method: 'GET', target: path, date }, { ...signer, scheme });

    expect(await identify(path, `${scheme} ${name}:${own}`)).toEqual({ kind: 'shared-key' });
    await expect(identify(path, `${scheme} ${name}:${own.replace(/^./, '_')}`)).rejects.toMatchObject(failed);
  });

  it('may have blanks around its two parts', async () => {
    expect(await identify(path, ` SharedKey  \t ${name}:${signature} `)).toEqual({ kind: 'shared-key' });
  });

  it.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['a scheme alone', 'SharedKey'],
    ['a scheme and blanks', 'SharedKey  '],
    ['the scheme Bearer alone', 'Bearer'],
    ['a signature alone', `${name}:${signature}`],
    ['three parts', `SharedKey ${name}:${signature} x`],
    ['a blank within the signature', `SharedKey ${name}: ${signature}`],
    ['an unknown scheme', `Basic ${name}:${signature}`],
    ['a scheme in another letter case', `sharedkey ${name}:${signature}`],
    ['no colon', `SharedKey ${name}${signature}`],
    ['no account', `SharedKey :${signature}`],
    ['no signature', `SharedKey ${name}:`],
    ['a colon alone', 'SharedKeyLite :'],
  ])('is malformed with %s', async (_what, authorization) => {
    await expect(identify(path, authorization)).rejects.toMatchObject(malformed);
  });

  it('names the account of the address, in the same letter case', async () => {
    const ofSecond = signatureOf({ method: 'GET', target: '/second/Tables', date }, { ...signer, account: 'second' });

    expect(await identify('/second/Tables', `SharedKey second:${ofSecond}`)).toEqual({ kind: 'shared-key' });
    for (const account of ['second', 'DevStoreAccount1']) {
      await expect(identify(path, `SharedKey ${account}:${signature}`)).rejects.toMatchObject(failed);
    }
    await expect(identify('/second/Tables', `SharedKey ${name}:${signature}`)).rejects.toMatchObject(failed);
  });

  it('is checked with the clock and the keys of the account', async () => {
    const authorization = `SharedKey ${name}:${signature}`;

    await expect(identify(path, authorization, {}, { keys: [] })).rejects.toMatchObject(failed);
    await expect(identify(path, authorization, {}, { realNow: now + 3_600_000 })).rejects.toMatchObject(failed);
  });
});

describe('A bearer token', () => {
  const seconds = now / 1000;
  const times = { iat: seconds, nbf: seconds, exp: seconds + 60 };
  const issuer = { iss: 'https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/' };
  const token = writeToken({ ...times, ...issuer, aud: `https://${name}.table.core.windows.net` });
  const https = { scheme: 'https' } as const;

  it('identifies the sender of a request over HTTPS', async () => {
    expect(await identify(path, `Bearer ${token}`, https)).toEqual({ kind: 'bearer-token' });
  });

  it('is for the account of the address, and only while it is valid', async () => {
    await expect(identify('/second/Tables', `Bearer ${token}`, https)).rejects.toMatchObject(failed);
    await expect(identify(path, `Bearer ${token}`, https, { realNow: now + 60_000 })).rejects.toMatchObject(failed);
  });

  it('is rejected over plain HTTP, also in versions with a challenge', async () => {
    await expect(identify(path, `Bearer ${token}`, { version: '2020-12-06' })).rejects.toMatchObject(failed);
  });

  it.each([
    ['2019-10-10', 'AuthenticationFailed'],
    ['2020-12-06', 'InvalidAuthenticationInfo'],
  ])('is rejected in version %s with %s if the server does not accept tokens', async (version, code) => {
    const rejection = identify(path, `Bearer ${token}`, { ...https, version }, { bearerTokens: false });

    await expect(rejection).rejects.toMatchObject({ code });
  });

  it('is malformed if it is not a token', async () => {
    await expect(identify(path, 'Bearer abc', https)).rejects.toMatchObject(malformed);
  });
});
