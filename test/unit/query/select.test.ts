import { describe, expect, it } from 'vitest';
import { parseSelect } from '../../../src/query/select.js';

describe('$select', () => {
  it('is undefined where it is absent', () => {
    expect(parseSelect(undefined)).toBeUndefined();
  });

  it.each(['', ' ', '*', 'A,*'])('means every property when it is %o', (text) => {
    expect(parseSelect(text)).toEqual({ text });
  });

  it.each([
    ['sex,age', ['age', 'sex']],
    ['baz,PartitionKey,RowKey', ['PartitionKey', 'RowKey', 'baz']],
    ['Timestamp', ['Timestamp']],
    ['timestamp,Timestamp,RowKey', ['RowKey', 'Timestamp', 'timestamp']],
    ['b , B,_x', ['B', '_x', 'b']],
    ['a,b,a', ['a', 'b']],
    ['ö,z', ['z', 'ö']],
  ])('orders %s: system properties first, then ordinal', (text, names) => {
    expect(parseSelect(text)).toEqual({ text, names });
  });

  it.each(['A/B', 'A-B', 'A,,B', 'A,', ',', '1a', "'a'", 'a b'])('refuses %o, no name of a property', (text) => {
    expect(() => parseSelect(text)).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });

  it('takes 255 names and no more', () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`).join(',');
    expect(parseSelect(names(255))?.names).toHaveLength(255);
    expect(() => parseSelect(names(256))).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });
});
