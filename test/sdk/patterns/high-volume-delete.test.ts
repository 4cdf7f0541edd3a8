/**
 * High-volume delete
 *
 * Problem: Sign-ins are kept for a few days and then deleted, a whole day at a time. Deleting them one by one costs as much as
 * writing them.
 *
 * | table | PartitionKey | RowKey | what it is |
 * | --- | --- | --- | --- |
 * | `SignIns20261101` | `jonesj` | `09:12:44` | a sign-in of that day |
 *
 * When not: When an entity is written, it is not known what it will be deleted with: delete in transactions of 100 instead. The
 * name of a deleted table stays reserved for a while, so every table needs a new name.
 *
 * Source: Table design guide, "High-volume delete pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describePattern, query, writes } from '../../support/docs/describe-pattern.js';

/** The table of a day, such as SignIns20261101. */
const tableOf = (day: string) => `SignIns${day.replaceAll('-', '')}`;

/** One request, however many entities the table has. */
const deleteDay = (signIns: TableClient) => signIns.deleteTable();

/** A question about one user asks one partition of each day, in parallel. */
const listUser = async (days: readonly TableClient[], user: string) => {
  const filter = odata`PartitionKey eq ${user}`;
  return (await Promise.all(days.map((day) => all(day.listEntities({ queryOptions: { filter } }))))).flat();
};

describePattern(
  import.meta.url,
  async ({ table, step }) => {
    const days = [await table(tableOf('2026-11-01')), await table(tableOf('2026-11-02'))] as const;
    const signIns = ['adams', 'jonesj', 'smith'].flatMap((user) =>
      Array.from({ length: 100 }, (_, at) => ({ partitionKey: user, rowKey: `09:${String(at).padStart(2, '0')}:00` })),
    );
    for (const day of days) await insertAll(day, signIns);

    const two = query('partition-scan', 200, 200, 2);
    expect(await step('list the sign-ins of a user on two days', two, () => listUser(days, 'jonesj'))).toHaveLength(
      200,
    );
    await step('delete the 300 sign-ins of a day', writes(1), () => deleteDay(days[0]));
    await expect(all(days[0].listEntities())).rejects.toMatchObject({ statusCode: 404 });
    expect(await all(days[1].listEntities())).toHaveLength(300);
  },
  ['table-scan/unfiltered info'],
);
