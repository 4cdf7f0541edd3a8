import { expect, it } from 'vitest';
import { parseResource } from '../../../../src/address/parse-address.js';
import { readNestedPath } from '../../../../src/dialects/storage/storage-dialect.js';
import { rejectionOf } from '../../../support/answers/rejection-of.js';

const read = (path: string, method = 'GET') => {
  const parsed = parseResource(path);
  if (parsed.kind !== 'nested') throw new Error('a path of one segment');
  return readNestedPath(parsed, { account: 'acct', method });
};

const faultOf = (path: string, method?: string) =>
  rejectionOf(() => {
    const found = read(path, method);
    if (found.kind === 'unserved') throw found.fault;
  });

it.each(['T', 'T()', "T(PartitionKey='p',RowKey='r')", "t%28PartitionKey='p',RowKey='r'%29"])(
  'reads T/%s, which names its table twice, without the first segment, except in a GET [operations 1.2]',
  (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) expect(read(`T/${path}`, method)).toEqual(parseResource(path));
    expect(read(`T/${path}`, 'GET')).toMatchObject({ kind: 'unserved', table: 'T', fault: { code: 'NotImplemented' } });
  },
);

it('reads keys after the table as those of the table', () => {
  expect(read("T//(PartitionKey='p',RowKey='r')")).toEqual(parseResource("T(PartitionKey='p',RowKey='r')"));
});

it.each(['Tables', '$batch', 'Other()', 'Tables()'])('reads a POST to T/%s as one to T, and serves no GET', (path) => {
  expect(read(`T/${path}`, 'POST')).toEqual({ kind: 'entities', table: 'T' });
  expect(faultOf(`T/${path}`).code).toBe('NotImplemented');
  expect(faultOf(`T/${path}`, 'DELETE').code).toBe('ResourceNotFound');
});

it.each(['GET', 'DELETE', 'POST'])('rejects a key alone, because entities have two: %s', (method) => {
  for (const path of ["T/Tables('T')", "T/Tables('it''s')", "T/T('x')", "T/Tables('')", "T/x(PartitionKey='p')"]) {
    expect(faultOf(path, method)).toEqual({
      code: 'InvalidInput',
      message:
        "The number of keys specified in the URI does not match number of key properties for the resource 'acct.T'.",
    });
  }
});

it.each(['T/x(', "T/x('a'", "T/x('it's')", 'T/x)'])('rejects the malformed keys of %s', (path) => {
  for (const method of ['GET', 'POST', 'DELETE']) expect(faultOf(path, method).code).toBe('InvalidInput');
});

it.each(['Tables/more', 'Tables/Tables', 'T()/T()', '$batch/T', 'T/x/y', "Tables('T')/T"])(
  'does not find %s, whatever the method',
  (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) expect(faultOf(path, method).code).toBe('ResourceNotFound');
  },
);
