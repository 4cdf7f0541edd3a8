import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { checkSharedKey, type SignedRequest } from '../../../src/auth/authenticate.js';
import { readAccountKeys } from '../../../src/auth/signing-key.js';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { codeOf } from '../../support/answers/rejection-of.js';
import { signatureOf } from '../../support/signatures/sign-request.js';

const date = 'Sat, 21 Nov 2026 01:00:00 GMT';
const now = Date.parse(date);
const accounts = new Set([developmentAccount.name]);
const [key = ''] = developmentAccount.keys;
const keys = readAccountKeys([key]);
const otherKey = Buffer.from('another key').toString('base64');

function requestOf(url: string, parts: Partial<SignedRequest> = {}): SignedRequest {
  const address = parseAddress({ url, host: '127.0.0.1:10002', scheme: 'http' }, accounts);
  return { method: 'GET', contentMd5: '', contentType: '', date: undefined, msDate: date, ...parts, address };
}

type Scheme = 'SharedKey' | 'SharedKeyLite';
const check =
  (scheme: Scheme, signature: string, request: SignedRequest, at = now) =>
  () =>
    checkSharedKey(scheme, signature, request, keys, at);

describe('checkSharedKey with the published vectors', () => {
  it.each([
    ['SharedKeyLite', '/devstoreaccount1/Tables', 'YR6isOCi94oM703jRV/eyhtDgXm1lOBfLY1ch7ZOD3c='],
    ['SharedKey', '/devstoreaccount1/Tables', '9pAv3bw9iu6zNi7wqRHVfW39KHFzE6bl4LR53WD5tGQ='],
    ['SharedKeyLite', '/devstoreaccount1/mytable?comp=acl', '/ORsLca93wDr/EhrQtp4Naxzz0w55tj1aLrnYgQElCY='],
    [
      'SharedKeyLite',
      "/devstoreaccount1/mytable(PartitionKey='a%20b',RowKey='1')",
      'fraDJ9KZ/uWxe78mijc8MjQokYxpTOq42ZGgmRf+3Hg=',
    ],
  ] as const)('accepts for %s of %s the signature %s', (scheme, url, signature) => {
    expect(check(scheme, signature, requestOf(url))).not.toThrow();
    expect(signatureOf({ method: 'GET', target: url, date }, { scheme, account: developmentAccount.name, key })).toBe(
      signature,
    );
  });
});

describe('checkSharedKey', () => {
  const sign = (
    scheme: Scheme,
    target: string,
    more: { contentType?: string; contentMd5?: string; method?: string } = {},
  ) => signatureOf({ method: 'GET', date, target, ...more }, { scheme, account: developmentAccount.name, key });

  it('signs no option of the query except comp', () => {
    const signed = sign('SharedKey', '/devstoreaccount1/T?comp=acl');
    expect(check('SharedKey', signed, requestOf('/devstoreaccount1/T?timeout=5&comp=acl&$top=1'))).not.toThrow();
    expect(codeOf(check('SharedKey', signed, requestOf('/devstoreaccount1/T')))).toBe('AuthenticationFailed');
    expect(codeOf(check('SharedKey', signed, requestOf('/devstoreaccount1/T?comp=stats')))).toBe(
      'AuthenticationFailed',
    );
  });

  it('signs verb, content type and content digest with Shared Key, and none of them with Shared Key Lite', () => {
    const url = '/devstoreaccount1/T';
    const parts = { method: 'POST', contentType: 'application/json', contentMd5: 'MQ==' };
    const signed = sign('SharedKey', url, parts);
    expect(check('SharedKey', signed, requestOf(url, parts))).not.toThrow();
    for (const other of [{ method: 'PUT' }, { contentType: '' }, { contentMd5: '' }]) {
      expect(codeOf(check('SharedKey', signed, requestOf(url, { ...parts, ...other })))).toBe('AuthenticationFailed');
    }
    expect(check('SharedKeyLite', sign('SharedKeyLite', url), requestOf(url, parts))).not.toThrow();
    expect(codeOf(check('SharedKeyLite', signed, requestOf(url, parts)))).toBe('AuthenticationFailed');
  });

  it('signs the path exactly as sent', () => {
    const signed = sign('SharedKeyLite', "/devstoreaccount1/T(PartitionKey='a%20b',RowKey='')");
    const respelled = requestOf("/devstoreaccount1/T(PartitionKey=%27a%20b%27,RowKey='')");
    expect(codeOf(check('SharedKeyLite', signed, respelled))).toBe('AuthenticationFailed');
  });

  it('signs x-ms-date if the request has it, otherwise Date', () => {
    const signed = sign('SharedKeyLite', '/devstoreaccount1/T');
    const earlier = 'Sat, 21 Nov 2026 00:59:00 GMT';
    const both = requestOf('/devstoreaccount1/T', { msDate: date, date: earlier });
    expect(check('SharedKeyLite', signed, both)).not.toThrow();
    const dateAlone = requestOf('/devstoreaccount1/T', { msDate: undefined, date });
    expect(check('SharedKeyLite', signed, dateAlone)).not.toThrow();
    const neither = requestOf('/devstoreaccount1/T', { msDate: undefined });
    expect(codeOf(check('SharedKeyLite', signed, neither))).toBe('AuthenticationFailed');
  });

  it('accepts a path of the secondary signed with or without the suffix', () => {
    const request = requestOf('/devstoreaccount1-secondary/?restype=service&comp=stats');
    for (const path of ['/devstoreaccount1-secondary/?comp=stats', '/devstoreaccount1/?comp=stats']) {
      expect(check('SharedKey', sign('SharedKey', path), request)).not.toThrow();
    }
  });

  it('accepts a signature with either key of the account and with no other key', () => {
    const request = requestOf('/devstoreaccount1/T');
    const both = readAccountKeys([key, otherKey]);
    for (const signer of [key, otherKey]) {
      const signed = signatureOf(
        { method: 'GET', date, target: '/devstoreaccount1/T' },
        { scheme: 'SharedKey', account: developmentAccount.name, key: signer },
      );
      expect(() => checkSharedKey('SharedKey', signed, request, both, now)).not.toThrow();
      expect(codeOf(() => checkSharedKey('SharedKey', signed, request, [], now))).toBe('AuthenticationFailed');
    }
  });

  it.each(['', 'x', '====', 'YR6isOCi94oM703jRV/eyhtDgXm1lOBfLY1ch7ZOD3c', 'not base64!'])(
    'rejects the malformed or wrong signature %j',
    (signature) => {
      const request = requestOf('/devstoreaccount1/Tables?comp=acl');
      expect(codeOf(check('SharedKeyLite', signature, request))).toBe('AuthenticationFailed');
    },
  );

  it.each([
    [0, true],
    [15 * 60_000, true],
    [-15 * 60_000, true],
    [15 * 60_000 + 1, false],
    [-15 * 60_000 - 1, false],
  ])('accepts a date within 15 minutes of the clock: %d ms, %s', (off, isAccepted) => {
    const attempt = check(
      'SharedKey',
      sign('SharedKey', '/devstoreaccount1/T'),
      requestOf('/devstoreaccount1/T'),
      now + off,
    );
    if (isAccepted) expect(attempt).not.toThrow();
    else expect(codeOf(attempt)).toBe('AuthenticationFailed');
  });
});
