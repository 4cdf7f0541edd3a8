import { describe, expect, it } from 'vitest';
import { parseSelect } from '../../../src/query/select.js';

describe('parseSelect', () => {
  it('returns undefined for an absent option', () => {
    expect(parseSelect(undefined)).toBeUndefined();
  });

  it.each(['', '*', 'A,*'])('selects all properties for %o', (text) => {
    expect(parseSelect(text)).toEqual({ text });
  });

  it('reads blanks as an empty option', () => {
    expect(parseSelect('  ')).toEqual({ text: '' });
  });

  it.each([
    ['sex,age', ['age', 'sex']],
    ['baz,PartitionKey,RowKey', ['PartitionKey', 'RowKey', 'baz']],
    ['Timestamp', ['Timestamp']],
    ['timestamp,Timestamp,RowKey', ['RowKey', 'Timestamp', 'timestamp']],
    ['A,Timestamp,RowKey', ['RowKey', 'Timestamp', 'A']],
    ['b , B,_x', ['B', '_x', 'b']],
    ['a,b,a', ['a', 'b']],
    ['b,a,', ['a', 'b']],
    ['b , ', ['b']],
    ['ö,z', ['z', 'ö']],
  ])('sorts %s: system properties first, then the others in ordinal order', (text, names) => {
    expect(parseSelect(text)).toEqual({ text, names });
  });

  it.each(['A/B', 'A-B', 'A,,B', 'A,,', ',', '1a', "'a'", 'a b'])(
    'rejects %o, which is not a list of property names',
    (text) => {
      expect(() => parseSelect(text)).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
    },
  );

  it.each([
    ["['age, sex']", 0],
    [' 1', 1],
    ['a, ,b', 3],
    ['a,b,/', 4],
  ])('says where in %o an identifier was expected', (text, position) => {
    expect(() => parseSelect(text)).toThrow(
      expect.objectContaining({ variant: { name: 'select-syntax', position } }) as Error,
    );
  });

  it('accepts 255 names and rejects 256', () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`).join(',');
    expect(parseSelect(names(255))?.names).toHaveLength(255);
    expect(() => parseSelect(names(256))).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });
});
