import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { refusalOf } from '../entity/refusal-of.js';

const accounts = new Set(['devstoreaccount1', 'other']);

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
          'The specified resource does not exist. No account of this server is named so; it has: devstoreaccount1, other.',
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
