import { describe, expect, it } from 'vitest';
import { Query } from '../../../src/address/query.js';
import { codeOf } from '../../support/answers/rejection-of.js';

/** Returns the options of a query as pairs. */
const read = (text: string) => {
  const query = new Query(text);
  return [...query.names()].map((name) => [name, query.get(name)]);
};

describe('The query of a request', () => {
  it.each([
    ['', []],
    ['a=1', [['a', '1']]],
    [
      'b=1&a=2',
      [
        ['b', '1'],
        ['a', '2'],
      ],
    ],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=a', [['', 'a']]],
    ['a=b=c', [['a', 'b=c']]],
    ['&a=1&&', [['a', '1']]],
    ['%24top=%31', [['$top', '1']]],
    ['a+b=c+d%2Be', [['a b', 'c d+e']]],
    ['a=%2525', [['a', '%25']]],
    ['%C3%A9=%E6%97%A5', [['é', '日']]],
  ])('%s has the options %j, each decoded once', (text, options) => {
    expect(read(text)).toEqual(options);
  });

  it('has names with their letter case', () => {
    const query = new Query('Sig=1');

    expect([query.has('Sig'), query.has('sig'), query.get('sig')]).toEqual([true, false, undefined]);
  });

  it('has the first value of a name that is given twice', () => {
    const query = new Query('a=1&b=2&%61=3');

    expect(read('a=1&b=2&%61=3')).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(['a', 'b', 'c'].map((name) => query.isRepeated(name))).toEqual([true, false, false]);
    expect(new Query('a=1').isRepeated('a')).toBe(false);
  });

  it.each(['%', 'a=%', 'a=%4', 'a=%zz', '%C3=1', 'a=%ff', 'a=b+%'])('is rejected with broken encoding: %s', (text) => {
    expect(codeOf(() => new Query(text))).toBe('RequestUrlFailedToParse');
  });
});
