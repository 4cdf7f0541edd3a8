import { expect, it } from 'vitest';
import { readColumns } from '../../src/explorer/data/dialogs/csv-header.js';

it.each([
  ['PartitionKey,RowKey,N,N@type\n', ['PartitionKey', 'RowKey', 'N']],
  ['\ufeff"a;b";c\r\n1;2\r\n', ['a;b', 'c']],
  ['\ufeff#TYPE System.Data.DataRow\r\n"a","b""c"\r\n', ['a', 'b"c']],
  ['sep=|\r\na|b,c\r\n', ['a', 'b,c']],
  ['SEP=^\na^b\n', ['a', 'b']],
])('The columns of %j are those of the header', async (text, columns) => {
  expect((await readColumns(new Blob([text]))).map(({ column }) => column)).toEqual(columns);
});
