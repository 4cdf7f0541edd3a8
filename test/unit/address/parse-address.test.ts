import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { refusalOf } from '../../support/refusal-of.js';

const accounts = new Set(['devstoreaccount1', 'other', 'Mixed']);

function parse(url: string, host = '127.0.0.1:10002') {
  const { account, secondary, base, resourcePath } = parseAddress({ url, host, scheme: 'http' }, accounts);
  return { account, secondary, base, resourcePath };
}

describe('the account of a request', () => {
  it.each([
    ['/devstoreaccount1/Tables', 'devstoreaccount1', false, 'Tables'],
    ['/devstoreaccount1/', 'devstoreaccount1', false, ''],
    ['/devstoreaccount1', 'devstoreaccount1', false, ''],
    ['/devstoreaccount1?comp=properties', 'devstoreaccount1', false, ''],
    ['/other/T(PartitionKey=%27a%27,RowKey=%27b%27)?x=/', 'other', false, 'T(PartitionKey=%27a%27,RowKey=%27b%27)'],
    ['/devstoreaccount1-secondary/Tables', 'devstoreaccount1', true, 'Tables'],
    ['/devstoreaccount1//Tables', 'devstoreaccount1', false, '/Tables'],
    ['http://elsewhere:1/devstoreaccount1/Tables', 'devstoreaccount1', false, 'Tables'],
  ])('is the first segment of %s', (url, account, secondary, resourcePath) => {
    expect(parse(url)).toMatchObject({ account, secondary, resourcePath });
  });

  it.each([
    ['devstoreaccount1.table.localhost:10002', false],
    ['devstoreaccount1.table.core.windows.net', false],
    ['devstoreaccount1:10002', false],
    ['devstoreaccount1', false],
    ['devstoreaccount1-secondary.table.localhost', true],
  ])('else is the first label of the host %s', (host, secondary) => {
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
  ])('is found in the host %s, which has no letter case', (host, account, secondary) => {
    expect(parse('/Tables', host)).toEqual({ account, secondary, base: `http://${host}`, resourcePath: 'Tables' });
  });

  it.each(['/other', '/other/', '/other?$top=1', '/other?comp=acl'])(
    'is the one of a host in the form of the service, where the path %s is a table with the name of another account',
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
  ])('is the one of the path %s under the host %s', (url, host) => {
    expect(parse(url, host)).toMatchObject({ account: 'other', base: `http://${host}/other` });
  });

  it('is the one of the path in any case where product style URLs are disabled', () => {
    const request = { url: '/other', host: 'devstoreaccount1.table.localhost', scheme: 'http' } as const;
    expect(parseAddress(request, accounts, true)).toMatchObject({ account: 'other', resourcePath: '' });
  });

  it.each([
    ['/devstoreaccount1-secondary/devstoreaccount1/?restype=service&comp=stats', ''],
    ['/devstoreaccount1-secondary/devstoreaccount1/Tables', 'Tables'],
    ['/devstoreaccount1-secondary/devstoreaccount1/T()', 'T()'],
    ['/devstoreaccount1-secondary/devstoreaccount1', 'devstoreaccount1'],
    ['/devstoreaccount1-secondary/devstoreaccount1/', 'devstoreaccount1/'],
    ['/devstoreaccount1-secondary/other/T', 'other/T'],
  ])('stands in %s twice where a client put the path of the primary after its secondary', (url, resourcePath) => {
    expect(parse(url)).toMatchObject({ account: 'devstoreaccount1', secondary: true, resourcePath });
  });

  it('of the primary stands once', () => {
    expect(parse('/devstoreaccount1/devstoreaccount1/Tables').resourcePath).toBe('devstoreaccount1/Tables');
  });

  it.each(['127.0.0.1:10002', '[::1]:10002', 'host.docker.internal:10002', 'tables.my-namespace.svc', 'localhost'])(
    'is found in the path under the host %s',
    (host) => {
      expect(parse('/other/Tables', host)).toMatchObject({ account: 'other', base: `http://${host}/other` });
    },
  );

  it('in the path counts more than the one in the host', () => {
    expect(parse('/other/Tables', 'devstoreaccount1.table.localhost')).toMatchObject({ account: 'other' });
  });

  it('that is none of them is refused with the names there are', () => {
    for (const url of ['/', '/Tables', '/stranger/Tables', '/stranger-secondary/Tables', '/devstoreaccount/Tables']) {
      expect(refusalOf(() => parse(url))).toEqual({
        code: 'ResourceNotFound',
        message:
          'The specified resource does not exist. This server does not have that account; it has: devstoreaccount1, other, Mixed.',
      });
    }
  });

  it('keeps the path as it was sent, since that is signed', () => {
    const url = "/devstoreaccount1/T(PartitionKey='a%20b',RowKey='%c3%A4')?comp=acl";
    const { rawPath, base } = parseAddress({ url, host: 'h:1', scheme: 'https' }, accounts);
    expect(rawPath).toBe("/devstoreaccount1/T(PartitionKey='a%20b',RowKey='%c3%A4')");
    expect(base).toBe('https://h:1/devstoreaccount1');
  });
});

describe('the query of a request', () => {
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
  ])('%s has %s: %j', (text, name, value) => {
    expect(query(text).get(name)).toBe(value);
  });

  it('tells an option that is empty from one that is not there', () => {
    expect([query('$top=').has('$top'), query('$top=').has('$skip')]).toEqual([true, false]);
    expect(query('').get('$top')).toBeUndefined();
  });

  it('keeps the letter case and the order of names', () => {
    expect([...query('b=1&A=2&a=3').names()]).toEqual(['b', 'A', 'a']);
  });

  it.each(['a=%', 'a=%2', 'a=%zz', '%ff=1', 'a=%C3'])('is refused when its encoding is broken: %s', (text) => {
    expect(refusalOf(() => query(text)).code).toBe('RequestUrlFailedToParse');
  });
});
