/**
 * Index entities in another table
 *
 * Problem: Employees of all departments are looked up by last name. A name's list cannot be in the partition of every employee,
 * so no transaction can write both; a queue message makes them eventually consistent.
 *
 * | table | PartitionKey | RowKey | what it is |
 * | --- | --- | --- | --- |
 * | `Staff` | `Sales` | `000152` | an employee |
 * | `StaffByName` | `Jones` | `Jones` | the keys of all employees called Jones, as JSON |
 *
 * When not: A reader must find an employee by name immediately. In that case, index within the partition.
 *
 * Source: Table design guide, "Index entities pattern".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { orNone } from '../../support/answers/sdk-answers.js';
import { describePattern, points } from '../../support/docs/describe-pattern.js';
import { QueueStandIn } from '../../support/servers/queue-stand-in.js';

interface Employee {
  readonly department: string;
  readonly id: string;
  readonly name: string;
}

/** Reads the list of a name. Without one, its tag is absent. */
async function readList(index: TableClient, name: string) {
  const list = await index.getEntity<{ keys: string }>(name, name).catch(orNone);
  return { keys: JSON.parse(list?.keys ?? '[]') as string[], etag: list?.etag };
}

/** The worker writes the employee, then the list. Doing it twice changes nothing, because a key is in a list once. */
async function work(hired: QueueStandIn<Employee>, staff: TableClient, index: TableClient) {
  const message = hired.receive(30_000);
  if (!message) return;
  const { department, id, name } = message.body;
  await staff.upsertEntity({ partitionKey: department, rowKey: id, name }, 'Replace');
  const { keys, etag } = await readList(index, name);
  const list = JSON.stringify([...new Set([...keys, `${department}/${id}`])].sort());
  const entity = { partitionKey: name, rowKey: name, keys: list };
  await (etag === undefined ? index.createEntity(entity) : index.updateEntity(entity, 'Replace', { etag }));
  message.delete();
}

/** Reads the list, then all its employees in parallel, from their partitions. */
async function findByName(staff: TableClient, index: TableClient, name: string) {
  const { keys } = await readList(index, name);
  return Promise.all(
    keys.map((key) => {
      const [department = '', id = ''] = key.split('/');
      return staff.getEntity<Employee>(department, id);
    }),
  );
}

describePattern(import.meta.url, async ({ table, cuttable, server, step }) => {
  const [staff, index] = [await table('Staff'), await table('StaffByName')];
  const hired = new QueueStandIn<Employee>();
  for (const [department, id] of [
    ['Sales', '000152'],
    ['Marketing', '000017'],
    ['Support', '000230'],
  ] as const) {
    hired.send({ department, id, name: 'Jones' });
    await work(hired, staff, index);
  }
  hired.send({ department: 'Sales', id: '000391', name: 'Jones' });
  await step('hire an employee', { ...points(1), transactions: 3 }, () => work(hired, staff, index));

  // The answer to the write of the list is lost, so the message comes again. The list has the employee once.
  const worker = await cuttable(index);
  hired.send({ department: 'Support', id: '000007', name: 'Jones' });
  worker.loseAnswersAfter(1);
  await expect(work(hired, staff, worker.table)).rejects.toThrow();
  worker.repair();
  server.pass(30_000);
  await work(hired, staff, worker.table);
  expect(hired.length).toBe(0);

  const found = await step('find the five called Jones', points(6), () => findByName(staff, index, 'Jones'));
  expect(found.map(({ partitionKey, rowKey }) => `${partitionKey} ${rowKey}`)).toEqual([
    'Marketing 000017',
    'Sales 000152',
    'Sales 000391',
    'Support 000007',
    'Support 000230',
  ]);
});
