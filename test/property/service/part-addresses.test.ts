import fc from 'fast-check';
import { expect, it } from 'vitest';
import { storageDialect } from '../../../src/dialects/storage/storage-dialect.js';
import { TableError } from '../../../src/protocol/errors.js';
import { PartAddresses } from '../../../src/service/batch/part-address.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const bases = [
  'http://127.0.0.1:10002/acct',
  'http://acct.table.localhost:10002',
  'http://127.0.0.1:10002/acct-secondary',
];

const pieces = (...texts: readonly string[]) => fc.constantFrom(...texts);

/** The text of a key in a URL, usually one that needs no decoding. */
const key = fc.oneof(
  { weight: 3, arbitrary: pieces('a', 'b', 'r0001', 'é', '') },
  pieces(
    "''",
    "'",
    '%27',
    '%2F',
    '%',
    '/',
    '\\',
    '?',
    '#',
    ' ',
    ')',
    "')",
    "a',RowKey='b",
    "b')?x=(PartitionKey='a',RowKey='b",
  ),
);

/** The URLs of the parts of a batch. Usually they differ only in the row key and what follows it. */
const urls = fc
  .tuple(
    pieces('/', '/acct/', 'http://127.0.0.1:10002/acct/', 'http://acct.internal/', '/other/', 'http://', ''),
    pieces('T', 'T', 'T(', 'T()?x=', ''),
    key,
  )
  .chain(([start, table, partition]) => {
    const end = fc.oneof({ weight: 3, arbitrary: pieces("')") }, pieces("'", ')', "')/", "')?$format=json"));
    const alike = fc
      .tuple(key, end)
      .map(([row, rest]) => `${start}${table}(PartitionKey='${partition}',RowKey='${row}${rest}`);
    const other = pieces('/acct/T', "/acct/T(PartitionKey='a',RowKey='b')", "/acct/U(PartitionKey='a',RowKey='b')", '');
    return fc.array(fc.oneof({ weight: 5, arbitrary: alike }, other), { maxLength: 6 });
  });

/** Returns what a URL addresses, in plain values, or the error code. */
function targetOf(read: () => ReturnType<PartAddresses['read']>) {
  try {
    const { resource, query } = read();
    return { resource, format: query.get('$format'), a: query.get('a'), x: query.get('x') };
  } catch (error) {
    if (error instanceof TableError) return error.code;
    throw error;
  }
}

it('The URL of each part of a batch is read as if it were the only one', () => {
  fc.assert(
    fc.property(fc.constantFrom(...bases), urls, (base, sent) => {
      const open = () => new PartAddresses({ account: 'acct', base }, storageDialect.requests);
      const addresses = open();
      const parts = sent.map((url) => ({ url, method: 'PUT' }));
      const together = parts.map((part) => targetOf(() => addresses.read(part)));
      const alone = parts.map((part) => targetOf(() => open().read(part)));
      expect(together).toEqual(alone);
    }),
    { numRuns: runs(2000) },
  );
});
