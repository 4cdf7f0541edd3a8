/**
 * Anti-pattern: the name of a deleted table
 *
 * Problem: An import empties a table by deleting and re-creating it. Azure takes at least forty seconds to delete a table, and
 * rejects a new one of that name until then.
 *
 * | table | PartitionKey | RowKey | what it is |
 * | --- | --- | --- | --- |
 * | `Import` | `Sales` | `000123` | an employee, imported every night |
 * | `Import20261102` | `Sales` | `000123` | instead: imported in that night |
 *
 * Instead: Give each import its own table, and delete the previous one.
 *
 * Source: Table design guide, "High-volume delete pattern".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describeAntiPattern, writes } from '../../support/docs/describe-pattern.js';

async function startOver(table: TableClient) {
  await table.deleteTable();
  await table.createTable();
}

/** Instead: a new name, known to readers when the import is complete. */
const nameOf = (night: Date) => `Import${night.toISOString().slice(0, 10).replaceAll('-', '')}`;

describeAntiPattern(
  import.meta.url,
  ['table-churn/name-reuse info', 'table-scan/unfiltered info'],
  async ({ table, step, server }) => {
    const reused = await table('Import');
    await reused.createEntity({ partitionKey: 'Sales', rowKey: '000123' });
    await step('delete the table and create it again', writes(2), () => startOver(reused));
    expect(await all(reused.listEntities())).toEqual([]);

    const before = await table(nameOf(new Date()));
    server.pass(86_400_000);
    await step('create a table for this import', writes(1), () => table(nameOf(new Date())));
    await step('delete the one before', writes(1), () => before.deleteTable());
  },
);
