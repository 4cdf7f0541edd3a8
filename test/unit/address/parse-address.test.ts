import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { rejectionOf } from '../../support/answers/rejection-of.js';

const accounts = new Set(['devstoreaccount1', 'other', 'Mixed']);

function parse(url: string, host = '127.0.0.1:10002') {
  const { account, secondary, base, resourcePath } = parseAddress({ url, host, scheme: 'http' }, accounts);
  return { account, secondary, base, resourcePath };
}

describe('parseAddress', () => {
  it.each([
    ['/devstoreaccount1/Tables', 'devstoreaccount1', false, 'Tables'],
    ['/devstoreaccount1/', 'devstoreaccount1', false, ''],
    ['/devstoreaccount1', 'devstoreaccount1', false, ''],
    ['/devstoreaccount1?comp=properties', 'devstoreaccount1', false, ''],
    ['/other/T(PartitionKey=%27a%27,RowKey=%27b%27)?x=/', 'other', false, 'T(PartitionKey=%27a%27,RowKey=%27b%27)'],
    ['/devstoreaccount1-secondary/Tables', 'devstoreaccount1', true, 'Tables'],
    ['/devstoreaccount1//Tables', 'devstoreaccount1', false, '/Tables'],
    ['http://elsewhere:1/devstoreaccount1/Tables', 'devstoreaccount1', false, 'Tables'],
  ])('finds the account in the first path segment of %s', (url, account, secondary, resourcePath) => {
    expect(parse(url)).toMatchObject({ account, secondary, resourcePath });
  });

  it.each([
    ['devstoreaccount1.table.localhost:10002', false],
    ['devstoreaccount1.table.core.windows.net', false],
    ['devstoreaccount1:10002', false],
    ['devstoreaccount1', false],
    ['devstoreaccount1-secondary.table.localhost', true],
  ])('finds the account in the first label of the host %s if the path does not name one', (host, secondary) => {
    expect(parse('/Tables', host)).toEqual({
      account: 'devstoreaccount1',
      secondary,
      base: `http://${host}`,
      resourcePath: 'Tables',
    });
  });

  it.each([
    ['DevStoreAccount1.Table.LocalHost:10002', 'devstoreaccount1', false],
    ['DEVSTOREACCOUNT1-SECONDARY.table.localhost', 'devstoreaccount1', true],
    ['mixed.table.localhost', 'Mixed', false],
  ])('ignores the letter case of the host %s', (host, account, secondary) => {
    expect(parse('/Tables', host)).toEqual({ account, secondary, base: `http://${host}`, resourcePath: 'Tables' });
  });

  it.each(['/other', '/other/', '/other?$top=1', '/other?comp=acl'])(
    'prefers a host of the form account.table.* if the path is the single segment %s, a table named like an account',
    (url) => {
      for (const host of ['devstoreaccount1.table.localhost', 'DevStoreAccount1.table.core.windows.net']) {
        const { account, base, resourcePath } = parse(url, host);
        expect({ account, base }).toEqual({ account: 'devstoreaccount1', base: `http://${host}` });
        expect(resourcePath).toMatch(/^other\/?$/);
      }
    },
  );

  it.each([
    ['/other', '127.0.0.1:10002'],
    ['/other', 'devstoreaccount1:10002'],
    ['/other', 'devstoreaccount1.example'],
    ['/other', 'stranger.table.localhost'],
    ['/other/Tables', 'devstoreaccount1.table.localhost'],
    ['/other?restype=service&comp=properties', 'devstoreaccount1.table.localhost'],
  ])('prefers the account in the path %s to the one in the host %s', (url, host) => {
    expect(parse(url, host)).toMatchObject({ account: 'other', base: `http://${host}/other` });
  });

  it('always prefers the account in the path if product style URLs are disabled', () => {
    const request = { url: '/other', host: 'devstoreaccount1.table.localhost', scheme: 'http' } as const;
    expect(parseAddress(request, accounts, { pathFirst: true })).toMatchObject({ account: 'other', resourcePath: '' });
  });

  it.each([
    ['/devstoreaccount1-secondary/devstoreaccount1/?restype=service&comp=stats', ''],
    ['/devstoreaccount1-secondary/devstoreaccount1/Tables', 'Tables'],
    ['/devstoreaccount1-secondary/devstoreaccount1/T()', 'T()'],
    ['/devstoreaccount1-secondary/devstoreaccount1', 'devstoreaccount1'],
    ['/devstoreaccount1-secondary/devstoreaccount1/', 'devstoreaccount1/'],
    ['/devstoreaccount1-secondary/other/T', 'other/T'],
  ])('removes the second account from %s, which a client appends to the secondary endpoint', (url, resourcePath) => {
    expect(parse(url)).toMatchObject({ account: 'devstoreaccount1', secondary: true, resourcePath });
  });

  it('keeps a second account in a path on the primary endpoint', () => {
    expect(parse('/devstoreaccount1/devstoreaccount1/Tables').resourcePath).toBe('devstoreaccount1/Tables');
  });

  it.each(['127.0.0.1:10002', '[::1]:10002', 'host.docker.internal:10002', 'tables.my-namespace.svc', 'localhost'])(
    'finds the account in the path with the host %s',
    (host) => {
      expect(parse('/other/Tables', host)).toMatchObject({ account: 'other', base: `http://${host}/other` });
    },
  );

  it('prefers the account in the path if both path and host name one', () => {
    expect(parse('/other/Tables', 'devstoreaccount1.table.localhost')).toMatchObject({ account: 'other' });
  });

  it('rejects an unknown account with a message that lists the accounts', () => {
    for (const url of ['/', '/Tables', '/stranger/Tables', '/stranger-secondary/Tables', '/devstoreaccount/Tables']) {
      expect(rejectionOf(() => parse(url))).toEqual({
        code: 'ResourceNotFound',
        message:
          'The specified resource does not exist. This server does not have that account; it has: devstoreaccount1, other, Mixed.',
      });
    }
  });

  it('keeps the path as sent, because the signature covers it', () => {
    const url = "/devstoreaccount1/T(PartitionKey='a%20b',RowKey='%c3%A4')?comp=acl";
    const { rawPath, base } = parseAddress({ url, host: 'h:1', scheme: 'https' }, accounts);
    expect(rawPath).toBe("/devstoreaccount1/T(PartitionKey='a%20b',RowKey='%c3%A4')");
    expect(base).toBe('https://h:1/devstoreaccount1');
  });
});

describe('Query', () => {
  const query = (text: string) => parseAddress({ url: `/other/T?${text}`, host: 'h', scheme: 'http' }, accounts).query;

  it.each([
    ['$filter=a%20eq%20b', '$filter', 'a eq b'],
    ['$filter=a+eq+%2B', '$filter', 'a eq +'],
    ['%24top=5', '$top', '5'],
    ['a=b=c', 'a', 'b=c'],
    ['a', 'a', ''],
    ['a=', 'a', ''],
    ['&&a=1&', 'a', '1'],
    ['a=%25%32%35', 'a', '%25'],
    ['a=1&a=2', 'a', '1'],
    ['a=?/', 'a', '?/'],
    ['a=%C3%A4', 'a', 'ä'],
  ])('decodes %s: %s is %j', (text, name, value) => {
    expect(query(text).get(name)).toBe(value);
  });

  it('distinguishes an empty option from an absent one', () => {
    expect([query('$top=').has('$top'), query('$top=').has('$skip')]).toEqual([true, false]);
    expect(query('').get('$top')).toBeUndefined();
  });

  it('keeps the letter case and the order of names', () => {
    expect([...query('b=1&A=2&a=3').names()]).toEqual(['b', 'A', 'a']);
  });

  it.each(['a=%', 'a=%2', 'a=%zz', '%ff=1', 'a=%C3'])('rejects malformed percent-encoding: %s', (text) => {
    expect(rejectionOf(() => query(text)).code).toBe('RequestUrlFailedToParse');
  });

  it('gives a path of one segment to the first account, for a service that has a default one', () => {
    const at = (url: string, host: string) =>
      parseAddress({ url, host, scheme: 'http' }, new Set(['localhost', 'own']), { hasDefaultAccount: true });

    for (const host of ['127.0.0.1:8902', 'cosmos:8902', 'localhost:8902']) {
      expect(at('/T()', host)).toMatchObject({ account: 'localhost', base: `http://${host}`, resourcePath: 'T()' });
    }
    expect(at('/own/T()', '127.0.0.1')).toMatchObject({ account: 'own', resourcePath: 'T()' });
    expect(() => at('/other/T()', '127.0.0.1')).toThrow(expect.objectContaining({ code: 'ResourceNotFound' }));
  });
});
