import { describe, expect, it } from 'vitest';
import { checkOptionNames, readTop, refuseUnsupportedOptions } from '../../../src/query/query-options.js';
import { refusalOf } from '../../support/refusal-of.js';

describe('$top', () => {
  it.each([
    [undefined, undefined],
    ['0', 0],
    ['1', 1],
    ['1000', 1000],
  ])('%s is %s', (text, expected) => {
    expect(readTop(text)).toBe(expected);
  });

  it.each(['1001', '-1', 'x', '', '1.5', '1e2', '99999999999999999999'])('refuses %o', (text) => {
    expect(refusalOf(() => readTop(text))).toEqual({
      code: 'InvalidInput',
      message: 'One of the request inputs is not valid.',
    });
  });
});

describe('query options', () => {
  it('take those of the service and any that are not OData', () => {
    const names = ['$filter', '$select', '$top', '$format', 'NextPartitionKey', 'timeout', 'sig', 'x'];

    expect(() => checkOptionNames(names)).not.toThrow();
    expect(() => refuseUnsupportedOptions(names)).not.toThrow();
  });

  it.each(['$orderby', '$skip', '$skiptoken', '$expand', '$count', '$inlinecount'])('do not implement %s', (name) => {
    expect(() => checkOptionNames(['$top', name])).not.toThrow();
    expect(() => refuseUnsupportedOptions(['$top', name])).toThrow(expect.objectContaining({ code: 'NotImplemented' }));
  });

  it.each(['$x', '$', '$Filter'])('refuse %s', (name) => {
    expect(() => checkOptionNames([name])).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });
});
