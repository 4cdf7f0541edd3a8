/**
 * Inter-partition secondary index
 *
 * Problem: Employees are looked up by two keys, and one partition cannot serve all lookups. Each index gets its own partitions,
 * so no transaction can write both copies; a queue message makes them eventually consistent.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `empid_Sales` | `000223` | an employee, found by number |
 * | `email_Sales` | `jonesj@contoso.com` | the same employee, found by address |
 *
 * When not: Readers must never see one copy without the other. In that case, keep both in one partition.
 *
 * Source: Table design guide, "Inter-partition secondary index pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, points, query, writes } from '../../support/docs/describe-pattern.js';
import { QueueStandIn } from '../../support/servers/queue-stand-in.js';

interface Employee {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

const byId = (employee: Employee) => ({ ...employee, partitionKey: 'empid_Sales', rowKey: employee.id });
const byEmail = (employee: Employee) => ({ ...employee, partitionKey: 'email_Sales', rowKey: employee.email });

/** The worker writes both copies. Each write can be repeated, because a message that is not deleted comes again. */
async function work(hired: QueueStandIn<Employee>, staff: TableClient) {
  const message = hired.receive(30_000);
  if (!message) return;
  await staff.upsertEntity(byId(message.body), 'Replace');
  await staff.upsertEntity(byEmail(message.body), 'Replace');
  message.delete();
}

/** Lists one index in the order of its key. */
const list = (staff: TableClient, index: 'empid' | 'email', from: string, to: string) =>
  all(
    staff.listEntities<Employee>({
      queryOptions: { filter: odata`PartitionKey eq ${`${index}_Sales`} and RowKey ge ${from} and RowKey le ${to}` },
    }),
  );

describePattern(import.meta.url, async ({ table, cuttable, server, step }) => {
  const staff = await table('Staff');
  const hired = new QueueStandIn<Employee>();
  const jones = { id: '000223', email: 'jonesj@contoso.com', name: 'Jones' };
  const adams = { id: '000150', email: 'adams@contoso.com', name: 'Adams' };

  hired.send(jones);
  await step('write both copies', writes(2), () => work(hired, staff));

  // The connection breaks after the first copy. The message comes again, and the second copy is written.
  const worker = await cuttable(staff);
  hired.send(adams);
  worker.cutAfter(1);
  await expect(work(hired, worker.table)).rejects.toThrow();
  expect(await list(staff, 'empid', '000100', '000199')).toMatchObject([adams]);
  expect(await list(staff, 'email', 'a', 'b')).toEqual([]);
  worker.repair();
  server.pass(30_000);
  await step('write them again after a failure', writes(2), () => work(hired, worker.table));
  expect(hired.length).toBe(0);

  const byNumber = await step('find by number', points(1), () => staff.getEntity('empid_Sales', '000223'));
  const byAddress = await step('find by address', points(1), () =>
    staff.getEntity('email_Sales', 'jonesj@contoso.com'),
  );
  expect([byNumber, byAddress]).toMatchObject([jones, jones]);
  const range = query('row-range', 1);
  expect(
    await step('list numbers 000100 to 000199', range, () => list(staff, 'empid', '000100', '000199')),
  ).toMatchObject([adams]);
  expect(await step('list addresses from a to b', range, () => list(staff, 'email', 'a', 'b'))).toMatchObject([adams]);
});
