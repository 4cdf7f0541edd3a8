/**
 * Anti-pattern: deletes one by one
 *
 * Problem: A hundred sign-ins of a user have expired, and the program deletes them one by one. Each delete is its own
 * transaction, and a program that stops midway leaves some of them.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `jonesj` | `00042` | a sign-in of a user |
 *
 * Instead: Delete up to 100 entities of a partition in one transaction. If everything written in a period expires together,
 * delete [its table](#high-volume-delete).
 *
 * Source: Table design guide, "High-volume delete pattern".
 */
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describeAntiPattern, writes } from '../../support/docs/describe-pattern.js';

async function deleteSlowly(signIns: TableClient, user: string, rowKeys: readonly string[]) {
  for (const rowKey of rowKeys) await signIns.deleteEntity(user, rowKey);
}

/** Instead: all or none, with one request. */
const deleteAll = (signIns: TableClient, user: string, rowKeys: readonly string[]) =>
  signIns.submitTransaction(rowKeys.map((rowKey): TransactionAction => ['delete', { partitionKey: user, rowKey }]));

describeAntiPattern(import.meta.url, ['single-writes/deletes warn'], async ({ table, step }) => {
  const signIns = await table('SignIns');
  const rowKeys = Array.from({ length: 100 }, (_, at) => String(at).padStart(5, '0'));
  for (const partitionKey of ['jonesj', 'smith']) {
    await insertAll(
      signIns,
      rowKeys.map((rowKey) => ({ partitionKey, rowKey })),
    );
  }

  await step('delete a hundred, one by one', writes(100), () => deleteSlowly(signIns, 'jonesj', rowKeys));
  await step('delete a hundred in a transaction', writes(1), () => deleteAll(signIns, 'smith', rowKeys));
  expect(await all(signIns.listEntities({ queryOptions: { filter: odata`PartitionKey eq 'smith'` } }))).toEqual([]);
});
