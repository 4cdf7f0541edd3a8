import { describe, expect, it } from 'vitest';
import { TableError } from '../../../src/protocol/errors.js';
import { splitPartUrl } from '../../../src/service/batch/part-address.js';

const byPath = { account: 'acct', base: 'http://127.0.0.1:10002/acct' };
const byHost = { account: 'acct', base: 'http://acct.table.localhost:10002' };
const onSecondary = { account: 'acct', base: 'http://127.0.0.1:10002/acct-secondary' };

/** Returns the path of the part, or the error code. */
function pathOf(url: string, outer: typeof byPath): string {
  try {
    return splitPartUrl(url, outer).path;
  } catch (error) {
    if (error instanceof TableError) return error.code;
    throw error;
  }
}

describe('the URL of a part', () => {
  it.each([
    ['/T', byPath, 'T'],
    ['T', byPath, 'T'],
    ['/acct/T', byPath, 'T'],
    ['http://127.0.0.1:10002/acct/T', byPath, 'T'],
    ['http://127.0.0.1:10002/T', byPath, 'T'],
    ['http://localhost:10002/acct/T', byPath, 'T'],
    ['http://proxy.example/acct/T', byPath, 'T'],
    ['https://acct.table.core.windows.net/T', byPath, 'T'],
    ['https://ACCT.TABLE.core.windows.net:443/T', byPath, 'T'],
    ['https://acct-secondary.table.core.windows.net/T', byPath, 'T'],
    ['http://acct.internal/T', byHost, 'T'],
    ['http://acct.table.localhost:10002/T', byHost, 'T'],
    ['/acct-secondary/T', onSecondary, 'T'],
    ['/acct/T', onSecondary, 'T'],
  ])('%s in a batch to %o is resolved to a table of the account', (url, outer, path) => {
    expect(pathOf(url, outer)).toBe(path);
  });

  it.each([
    ['http://127.0.0.1:10002/other/T', byPath],
    ['/other/T', byPath],
    ['https://other.table.core.windows.net/T', byPath],
    ['https://other.table.core.windows.net/acct/T', byPath],
    ['https://acct2.table.core.windows.net/T', byPath],
    ['https://other-secondary.table.core.windows.net/T', byPath],
    ['http://localhost:10002/T', byPath],
    ['http://127.0.0.1:10002/acct/T', byHost],
    ['http://other.table.localhost:10002/T', byHost],
    ['http://:10002/T', byPath],
  ])('%s in a batch to %o is rejected', (url, outer) => {
    expect(pathOf(url, outer)).toBe('InvalidInput');
  });

  it('keeps its query, wherever the path begins', () => {
    const { path, query } = splitPartUrl('https://acct.table.core.windows.net/T?$format=json&a=b?c', byPath);

    expect([path, query.get('$format'), query.get('a')]).toEqual(['T', 'json', 'b?c']);
  });
});
