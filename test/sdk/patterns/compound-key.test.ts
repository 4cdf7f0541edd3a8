/**
 * Compound key
 *
 * Problem: An employee has one review per year. A join would read the reviews from another table, which cannot be changed in the
 * same transaction as the employee.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `empid_000123` | an employee |
 * | `Sales` | `empid_000123_2012` | the review of one year |
 *
 * When not: Reviews are rarely read, and the employee is often read together with many others: ranges of employees then include
 * the reviews in between.
 *
 * In the guide: The range starts at `empid_000123`, so it returns the employee, too. `Manager Rating` in its `$select` contains
 * a space, which property names cannot.
 *
 * Source: Table design guide, "Compound key pattern".
 */
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, points, query, writes } from '../../support/docs/describe-pattern.js';

interface Review {
  readonly managerRating: number;
  readonly peerRating: number;
  readonly comments: string;
}

const keyOf = (id: string, year?: number) => ({
  partitionKey: 'Sales',
  rowKey: year === undefined ? `empid_${id}` : `empid_${id}_${year}`,
});

/** An employee and the reviews, written together. */
const enter = (staff: TableClient, id: string, name: string, reviews: ReadonlyMap<number, Review>) =>
  staff.submitTransaction([
    ['create', { ...keyOf(id), name }],
    ...[...reviews].map(([year, review]): TransactionAction => ['create', { ...keyOf(id, year), ...review }]),
  ]);

/** `~` sorts after every digit, so the range ends after the last year. */
const listReviews = (staff: TableClient, id: string) =>
  all(
    staff.listEntities<Review>({
      queryOptions: {
        filter: odata`PartitionKey eq 'Sales' and RowKey ge ${`empid_${id}_`} and RowKey lt ${`empid_${id}_~`}`,
        select: ['rowKey', 'managerRating', 'peerRating', 'comments'],
      },
    }),
  );

const readReview = (staff: TableClient, id: string, year: number) => {
  const { partitionKey, rowKey } = keyOf(id, year);
  return staff.getEntity<Review>(partitionKey, rowKey);
};

describePattern(import.meta.url, async ({ table, step }) => {
  const staff = await table('Staff');
  const review = (managerRating: number): Review => ({ managerRating, peerRating: 4, comments: 'as expected' });
  const reviews = new Map([2012, 2013, 2014].map((year) => [year, review(year - 2010)]));
  await enter(staff, '000122', 'Adams', reviews);
  await step('enter an employee with three reviews', writes(1), () => enter(staff, '000123', 'Jones', reviews));
  await enter(staff, '000124', 'Smith', reviews);

  const listed = await step('list the reviews of an employee', query('row-range', 3), () =>
    listReviews(staff, '000123'),
  );
  expect(listed.map(({ rowKey, managerRating }) => [rowKey, managerRating])).toEqual([
    ['empid_000123_2012', 2],
    ['empid_000123_2013', 3],
    ['empid_000123_2014', 4],
  ]);
  expect(Object.keys(listed[0] ?? {})).not.toContain('timestamp');
  const one = await step('read the review of one year', points(1), () => readReview(staff, '000123', 2013));
  expect(one).toMatchObject(review(3));
});
