import { expect, it } from 'vitest';
import { parseResource } from '../../../../src/address/parse-address.js';
import { readNestedPath } from '../../../../src/dialects/storage/nested-path.js';
import { refusalOf } from '../../../support/answers/refusal-of.js';

const read = (path: string, method = 'GET') => {
  const parsed = parseResource(path);
  if (parsed.kind !== 'nested') throw new Error('a path of one segment');
  return readNestedPath(parsed, { account: 'acct', method });
};

it.each(['T', 'T()', "T(PartitionKey='p',RowKey='r')", "t%28PartitionKey='p',RowKey='r'%29"])(
  'reads T/%s, which names its table twice, without the first segment [operations 1.2]',
  (path) => {
    expect(read(`T/${path}`)).toEqual(parseResource(path));
  },
);

it('reads keys after the table as those of the table', () => {
  expect(read("T//(PartitionKey='p',RowKey='r')")).toEqual(parseResource("T(PartitionKey='p',RowKey='r')"));
});

it.each(['Tables', '$batch', 'Other()', 'Tables()'])('reads a POST to T/%s as one to T', (path) => {
  expect(read(`T/${path}`, 'POST')).toEqual({ kind: 'entities', table: 'T' });
  expect(refusalOf(() => read(`T/${path}`)).code).toBe('ResourceNotFound');
});

it.each(['GET', 'DELETE', 'POST'])('rejects a key alone, because entities have two: %s', (method) => {
  for (const path of ["T/Tables('T')", "T/Tables('it''s')", "T/T('x')", "T/Tables('')"]) {
    expect(refusalOf(() => read(path, method))).toEqual({
      code: 'InvalidInput',
      message:
        "The number of keys specified in the URI does not match number of key properties for the resource 'acct.T'.",
    });
  }
});

it.each(['Tables/more', 'Tables/Tables', 'T()/T()', '$batch/T', 'T/x/y', "Tables('T')/T", 'T/x(', "T/x('a'"])(
  'does not find %s, whatever the method',
  (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect(refusalOf(() => read(path, method)).code).toBe('ResourceNotFound');
    }
  },
);
