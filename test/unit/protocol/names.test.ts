import { describe, expect, it } from 'vitest';
import { checkTableName } from '../../../src/protocol/names.js';
import { isVersion, newestVersion, protocolVersions } from '../../../src/protocol/versions.js';

describe('checkTableName', () => {
  it.each(['abc', 'A12', 'a'.repeat(63), 'TablesOfMine'])('accepts %s', (name) => {
    expect(checkTableName(name)).toBeUndefined();
  });

  it.each([
    ['', 'length'],
    ['ab', 'length'],
    ['a'.repeat(64), 'length'],
    ['-'.repeat(64), 'length'],
    ['1ab', 'characters'],
    ['a-b', 'characters'],
    ['a_b', 'characters'],
    ['a b', 'characters'],
    ['täble', 'characters'],
    ['abc\n', 'characters'],
    ['$MetricsX', 'characters'],
    ['tables', 'reserved'],
    ['TABLES', 'reserved'],
  ])('rejects %j because of %s', (name, fault) => {
    expect(checkTableName(name)).toBe(fault);
  });
});

describe('isVersion', () => {
  it.each(['2009-04-14', '2019-02-02', '2026-06-06', '2099-12-31', '2024-02-29'])('accepts %s', (text) => {
    expect(isVersion(text)).toBe(true);
  });

  it.each([
    '',
    '12.0.0b1',
    '2019-2-2',
    '2019-02-30',
    '2023-02-29',
    '2019-13-01',
    '2019-02-02 ',
    '2019-02-02T00:00:00Z',
  ])('rejects %j', (text) => {
    expect(isVersion(text)).toBe(false);
  });

  it('accepts every version of protocolVersions, and all are older than the newest', () => {
    for (const version of Object.values(protocolVersions)) {
      expect(isVersion(version)).toBe(true);
      expect(version < newestVersion).toBe(true);
    }
  });
});
