import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lineOfRejectedRow } from '../../../src/transfer/contract.js';
import { type TransferTools, transferOf } from '../../support/bodies/transfer-tools.js';
import { openTestStore, type StoreUnderTest } from '../../support/store/open-test-store.js';

describe('A rejected row', () => {
  let tested: StoreUnderTest;
  let tools: TransferTools;
  beforeEach(async () => {
    tested = await openTestStore({ engine: 'memory', cacheBytes: 0 });
    tools = transferOf(tested.store());
  });
  afterEach(() => tested.dispose());

  const importCsv = (text: string) => tools.importText(text, { format: 'csv', defaultTable: 'People' });
  const importNdjson = (...rows: readonly string[]) =>
    tools.importText(['{"$table":"People"}', ...rows].join('\n'), { format: 'ndjson' });

  it.each([
    [
      'Int32',
      'abc',
      "The value 'abc' of A is not a valid Edm.Int32. Send a 32-bit integer, or a larger one as Edm.Int64.",
    ],
    ['Int64', '9x', "The value '9x' of A is not a valid Edm.Int64. Send a 64-bit integer as a string of digits."],
    [
      'Double',
      '1.5.5',
      "The value '1.5.5' of A is not a valid Edm.Double. Send a number, or 'NaN', 'Infinity' or '-Infinity' as a string.",
    ],
    [
      'DateTime',
      '31.12.2024',
      "The value '31.12.2024' of A is not a valid Edm.DateTime. Send a string such as 2026-01-31T10:00:00Z.",
    ],
    [
      'DateTime',
      '1500-01-01T00:00:00Z',
      "The property A cannot have the value '01/01/1500 00:00:00'. Dates must be between 1601 and 9999.",
    ],
    [
      'Guid',
      '6f96',
      "The value '6f96' of A is not a valid Edm.Guid. Send a string such as 12345678-1234-1234-1234-123456789abc.",
    ],
    ['Boolean', 'yes', "The value 'yes' of A is not a valid Edm.Boolean. Send true or false."],
    ['Binary', '%%%', "The value '%%%' of A is not a valid Edm.Binary. Send a base64 string, with padding."],
    [
      'Decimal',
      '1',
      'A has the type Decimal, which the service does not support. Use Edm.String, Edm.Boolean, Edm.Int32, Edm.Int64, ' +
        'Edm.Double, Edm.DateTime, Edm.Guid or Edm.Binary.',
    ],
  ])('of CSV with a wrong %s says why, with the value, the cell and the keys', async (type, value, message) => {
    const { rejected } = await importCsv(`PartitionKey,RowKey,A,A@type\np,r,${value},${type}\n`);
    expect(rejected).toEqual([
      { line: 2, column: 3, table: 'People', partitionKey: 'p', rowKey: 'r', code: expect.any(String), message },
    ]);
  });

  it.each([
    [
      '{"PartitionKey":"p","RowKey":"r","A@odata.type":"Edm.Int32","A":"abc"}',
      "The value 'abc' of A is not a valid Edm.Int32. Send a 32-bit integer, or a larger one as Edm.Int64.",
    ],
    [
      '{"PartitionKey":"p","RowKey":"r","A":[1]}',
      'The value of A is a list or an object. Store it as a JSON string, or as several properties.',
    ],
    [
      '{"PartitionKey":"p","RowKey":"r","a b":1}',
      "A property cannot have the name 'a b'. Use letters, digits and underscores, not starting with a digit.",
    ],
  ])('of JSON as %s says why, with the keys', async (row, message) => {
    const rejected = { partitionKey: 'p', rowKey: 'r', message };
    expect((await importNdjson(row)).rejected).toMatchObject([rejected]);
    const wish = { format: 'json', defaultTable: 'People' } as const;
    expect((await tools.importText(`[${row}]`, wish)).rejected).toMatchObject([rejected]);
  });

  it('without keys names them, and what it has in their place', async () => {
    const { rejected } = await importNdjson('{"RowKey":"r"}', '{"partitionKey":"p","row_key":"r","N":1}');
    expect(rejected.map(({ message }) => message)).toEqual([
      'The body has no PartitionKey. Send it as a string.',
      'The body has no PartitionKey and no RowKey. Rename partitionKey to PartitionKey, and row_key to RowKey.',
    ]);
  });

  it('that cannot be parsed says what was expected, and where', async () => {
    const { rejected } = await importNdjson('{"PartitionKey":"p","RowKey":"r",}');
    expect(rejected).toMatchObject([
      { line: 2, column: 34, message: expect.stringMatching(/^The body is not one JSON object: at position 33, /) },
    ]);
  });

  it('shows neither a long value whole nor a secret', async () => {
    const long = await importCsv(`PartitionKey,RowKey,A,A@type\np,r,${'9'.repeat(5000)},Int32\n`);
    expect(long.rejected[0]?.message).toContain(`'${'9'.repeat(63)}…'`);
    const key = await importCsv(`PartitionKey,RowKey\np,${'/'.repeat(5000)}\n`);
    expect(key.rejected[0]?.message).toMatch(/^The RowKey '\/{63}…' has '\/' at position 0, .* base64url\.$/);
    const secret = await importCsv('PartitionKey,RowKey,A,A@type\np,r,sv=1&sig=abc,Int32\n');
    expect(secret.rejected[0]?.message).not.toContain('abc');
  });

  it('is one line for people: place, table, keys, code and reason', async () => {
    const { rejected } = await importCsv('PartitionKey,RowKey,A,A@type\np,r,x,Boolean\n');
    const [row] = rejected;
    expect(row && lineOfRejectedRow({ ...row, file: 'people.csv' })).toBe(
      "people.csv:2:3: People ('p', 'r'): InvalidInput: The value 'x' of A is not a valid Edm.Boolean. Send true or false.",
    );
    await expect(
      tools.importText('PartitionKey,RowKey,A,A@type\np,r,x,Boolean\n', {
        format: 'csv',
        table: 'People',
        strict: true,
      }),
    ).rejects.toThrow("Line 2, column 3: People ('p', 'r'): InvalidInput: The value 'x' of A");
  });
});
