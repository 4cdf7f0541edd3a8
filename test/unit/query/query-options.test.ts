import { describe, expect, it } from 'vitest';
import { checkOptionNames, readTop, rejectUnsupportedOptions } from '../../../src/query/query-options.js';
import { rejectionOf } from '../../support/answers/rejection-of.js';

describe('readTop', () => {
  it.each([
    [undefined, undefined],
    ['0', 0],
    ['1', 1],
    ['1000', 1000],
  ])('parses %s as %s', (text, expected) => {
    expect(readTop(text)).toBe(expected);
  });

  it.each(['1001', '-1', 'x', '', '1.5', '1e2', '99999999999999999999'])('rejects %o', (text) => {
    expect(rejectionOf(() => readTop(text))).toEqual({
      code: 'InvalidInput',
      message: 'One of the request inputs is not valid.',
    });
  });
});

describe('checkOptionNames and rejectUnsupportedOptions', () => {
  it('accept the options of the service and all names without $', () => {
    const names = ['$filter', '$select', '$top', '$format', 'NextPartitionKey', 'timeout', 'sig', 'x'];

    expect(() => checkOptionNames(names)).not.toThrow();
    expect(() => rejectUnsupportedOptions(names)).not.toThrow();
  });

  it.each(['$orderby', '$skip', '$skiptoken', '$expand', '$count', '$inlinecount'])(
    'reject %s with NotImplemented',
    (name) => {
      expect(() => checkOptionNames(['$top', name])).not.toThrow();
      expect(() => rejectUnsupportedOptions(['$top', name])).toThrow(
        expect.objectContaining({ code: 'NotImplemented' }),
      );
    },
  );

  it.each(['$x', '$', '$Filter'])('reject %s with InvalidInput', (name) => {
    expect(() => checkOptionNames([name])).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });
});
