/**
 * Eventually consistent transactions
 *
 * Problem: An employee moves from one table to another, and no transaction spans two tables. If the worker stops between the two
 * writes, the employee must be neither lost nor duplicated.
 *
 * | table | PartitionKey | RowKey | what it is |
 * | --- | --- | --- | --- |
 * | `Current` | `Sales` | `000456` | an employee |
 * | `Archive` | `Sales` | `000456` | the same employee, after leaving |
 *
 * When not: Readers must never see both copies, which coexist for a moment.
 *
 * Source: Table design guide, "Eventually consistent transactions pattern".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { orNone } from '../../support/answers/sdk-answers.js';
import { describePattern, points, writes } from '../../support/docs/describe-pattern.js';
import { QueueStandIn, type ReceivedMessage } from '../../support/servers/queue-stand-in.js';

interface Employee {
  readonly name: string;
}

/** Moves an employee. Every step can be repeated: a copy that exists is overwritten, and a deleted one is gone. */
async function archive(id: string, current: TableClient, archived: TableClient) {
  const employee = await current.getEntity<Employee>('Sales', id).catch(orNone);
  if (employee) {
    await archived.upsertEntity({ partitionKey: 'Sales', rowKey: id, name: employee.name }, 'Replace');
    await current.deleteEntity('Sales', id, { etag: employee.etag });
  } else {
    // An earlier attempt moved the employee, unless there is none at all: then this throws.
    await archived.getEntity('Sales', id);
  }
}

/** Handles one message. It is deleted last, and set aside when it fails again and again. */
async function work(
  leavers: QueueStandIn<string>,
  poison: QueueStandIn<string>,
  handle: (id: string) => Promise<void>,
) {
  const message: ReceivedMessage<string> | undefined = leavers.receive(30_000);
  if (!message) return;
  if (message.dequeueCount > 5) poison.send(message.body);
  else await handle(message.body);
  message.delete();
}

describePattern(import.meta.url, async ({ table, cuttable, server, step }) => {
  const [current, archived] = [await table('Current'), await table('Archive')];
  const worker = await cuttable(current);
  const [leavers, poison] = [new QueueStandIn<string>(), new QueueStandIn<string>()];
  const workOnce = () => work(leavers, poison, (id) => archive(id, worker.table, archived));
  const copiesOf = async (id: string) => {
    const copies = await Promise.all([current, archived].map((one) => one.getEntity('Sales', id).catch(orNone)));
    return copies.map((copy) => copy !== undefined);
  };
  const employ = (rowKey: string) => current.createEntity({ partitionKey: 'Sales', rowKey, name: 'Jones' });

  await employ('000455');
  leavers.send('000455');
  await step('move an employee', { ...points(1), transactions: 3 }, workOnce);
  expect(await copiesOf('000455')).toEqual([false, true]);

  // The connection breaks after the insert into Archive, or the answer to the delete from Current is lost.
  for (const [id, breakOff, after] of [
    ['000456', () => worker.cutAfter(1), [true, true]],
    ['000457', () => worker.loseAnswersAfter(1), [false, true]],
  ] as const) {
    await employ(id);
    leavers.send(id);
    breakOff();
    await expect(workOnce()).rejects.toThrow();
    expect(await copiesOf(id)).toEqual(after);
    worker.repair();
    server.pass(30_000);
    await workOnce();
    expect(await copiesOf(id)).toEqual([false, true]);
    expect(leavers.length).toBe(0);
  }

  // There is no such employee. The message does not stop the worker for good.
  leavers.send('999999');
  for (let attempt = 1; attempt <= 5; attempt++) {
    await expect(workOnce()).rejects.toMatchObject({ statusCode: 404 });
    server.pass(30_000);
  }
  await step('set a message aside that failed five times', writes(0), workOnce);
  expect([leavers.length, poison.length]).toEqual([0, 1]);
});
