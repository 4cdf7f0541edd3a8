import { describe, expect, it } from 'vitest';
import { hostOf, targetOf } from '../../../src/address/request-target.js';

describe('A request target', () => {
  it.each([
    ['/a/b?c', '/a/b?c', undefined],
    ['/', '/', undefined],
    ['/http://h/a', '/http://h/a', undefined],
    ['http://h:10002/a/', '/a/', 'h:10002'],
    ['HTTPS://h/a?b=http://x/', '/a?b=http://x/', 'h'],
    ['http://h?a', '?a', 'h'],
    ['http://h', '', 'h'],
    ['ftp://h/a', 'ftp://h/a', undefined],
    ['x', 'x', undefined],
  ])('%s has the path and query %j and the host %s', (url, target, host) => {
    expect(targetOf(url)).toBe(target);
    expect(hostOf(url)).toBe(host);
  });
});
