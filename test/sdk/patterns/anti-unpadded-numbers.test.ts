/**
 * Anti-pattern: unpadded numbers
 *
 * Problem: Employee numbers are used as RowKeys unchanged. Keys are strings, so 10 sorts before 9, and a range of numbers
 * returns the wrong employees.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `9` and `10` | two employees, in the wrong order |
 * | `Sales` | `000009` and `000010` | instead: in order |
 *
 * Instead: Pad numbers with zeros to a length that will always be enough.
 *
 * Source: Table design guide, "Intra-partition secondary index pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describeAntiPattern, query } from '../../support/docs/describe-pattern.js';

const listFrom = async (staff: TableClient, from: string) => {
  const filter = odata`PartitionKey eq 'Sales' and RowKey ge ${from}`;
  const found = await all(staff.listEntities({ queryOptions: { filter, select: ['rowKey'] } }));
  return found.map(({ rowKey }) => rowKey);
};

/** Instead: six digits. */
const pad = (number: number) => String(number).padStart(6, '0');

describeAntiPattern(import.meta.url, ['unpadded-keys warn'], async ({ table, step }) => {
  const [plain, padded] = [await table('Plain'), await table('Padded')];
  const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
  const employee = (rowKey: string) => ({ partitionKey: 'Sales', rowKey });
  await insertAll(
    plain,
    numbers.map((number) => employee(String(number))),
  );
  await insertAll(
    padded,
    numbers.map((number) => employee(pad(number))),
  );

  const wrong = await step('list from 9', query('row-range', 1), () => listFrom(plain, '9'));
  const right = await step('list from 000009', query('row-range', 4), () => listFrom(padded, pad(9)));
  expect(wrong).toEqual(['9']);
  expect(right).toEqual(['000009', '000010', '000011', '000012']);
});
