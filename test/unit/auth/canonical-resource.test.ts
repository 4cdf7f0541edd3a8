import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/address/parse-address.js';
import { canonicalResources } from '../../../src/auth/canonical-resource.js';

const accounts = new Set(['acct', 'other']);
const resources = (url: string, host = '127.0.0.1:10002') =>
  canonicalResources(parseAddress({ url, host, scheme: 'http' }, accounts));

describe('The resource that Shared Key signs', () => {
  it.each([
    ['/acct/Tables', '/acct/acct/Tables'],
    ['/acct/Tables?$top=2', '/acct/acct/Tables'],
    ['/acct/?restype=service&comp=properties', '/acct/acct/?comp=properties'],
    ['/acct/t?comp=acl', '/acct/acct/t?comp=acl'],
    ['/acct/t?comp=', '/acct/acct/t?comp='],
    ['/acct/t?comp=a%20b', '/acct/acct/t?comp=a b'],
    ['/acct/%24batch', '/acct/acct/%24batch'],
    ["/acct/t(PartitionKey='a%20b',RowKey='1')", "/acct/acct/t(PartitionKey='a%20b',RowKey='1')"],
  ])('of %s is only %s', (url, resource) => {
    expect(resources(url)).toEqual([resource]);
  });

  it('begins with the account of the host', () => {
    expect(resources('/Tables', 'acct.table.localhost:10002')).toEqual(['/acct/Tables']);
    expect(resources('', 'acct.table.localhost:10002')).toEqual(['/acct/']);
  });
});

describe('The resource on the secondary endpoint', () => {
  it('may be signed with or without the suffix', () => {
    expect(resources('/acct-secondary/?restype=service&comp=stats')).toEqual([
      '/acct/acct-secondary/?comp=stats',
      '/acct/acct/?comp=stats',
    ]);
    expect(resources('/acct-secondary/Tables')).toEqual(['/acct/acct-secondary/Tables', '/acct/acct/Tables']);
  });

  it('may be signed as the path of the primary, if the client appended that', () => {
    expect(resources('/acct-secondary/acct/Tables')).toEqual([
      '/acct/acct-secondary/acct/Tables',
      '/acct/acct/acct/Tables',
      '/acct/acct/Tables',
    ]);
    expect(resources('/acct-secondary/acct')).toEqual(['/acct/acct-secondary/acct', '/acct/acct/acct']);
    expect(resources('/acct-secondary/other/Tables')).toHaveLength(2);
  });

  it('is the path as sent, if the account is in the host', () => {
    expect(resources('/Tables', 'acct-secondary.table.localhost')).toEqual(['/acct/Tables']);
    expect(resources('/T/acct-secondary', 'acct-secondary.table.localhost')).toEqual(['/acct/T/acct-secondary']);
  });
});

describe('The resource of a path with characters beyond ASCII', () => {
  const key = (text: string) => `/acct/t(PartitionKey='${text}',RowKey='')`;

  it.each([
    ['é', '%C3%A9'],
    ['é', '%c3%a9'],
    ['aéb日', 'a%C3%A9b%E6%97%A5'],
    ['😀😀', '%F0%9F%98%80%F0%9F%98%80'],
    ['%20é%25', '%20%C3%A9%25'],
  ])('may be signed as bare UTF-8: %s as well as %s', (bare, encoded) => {
    expect(resources(key(encoded))).toEqual([`/acct${key(encoded)}`, `/acct${key(bare)}`]);
  });

  it('may be signed as bare UTF-8 in each form on the secondary endpoint', () => {
    expect(resources('/acct-secondary/caf%C3%A9?comp=acl')).toEqual([
      '/acct/acct-secondary/caf%C3%A9?comp=acl',
      '/acct/acct/caf%C3%A9?comp=acl',
      '/acct/acct-secondary/café?comp=acl',
      '/acct/acct/café?comp=acl',
    ]);
  });

  it.each(['a%20b', '%7F', '%25', '%25C3%25A9', 'C3A9', '%', '%c', '89'])(
    'has one form if %s has no such character',
    (text) => {
      expect(resources(key(text))).toEqual([`/acct${key(text)}`]);
    },
  );
});
