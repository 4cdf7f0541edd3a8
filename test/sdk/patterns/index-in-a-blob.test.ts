/**
 * Index in a blob
 *
 * Problem: So many employees share a last name that the list of their numbers does not fit into an entity. A blob can hold a
 * list of any size, and its name is the key.
 *
 * | where | name or keys | what it is |
 * | --- | --- | --- |
 * | table `Staff` | `Sales`, `000152` | an employee |
 * | blob | `Sales/Jones.json` | the numbers of all employees called Jones |
 *
 * When not: The list fits into an entity. An index entity is updated with its employee, in one transaction.
 *
 * Source: Table design guide, "Index entities pattern".
 */
import type { TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { describePattern, points, writes } from '../../support/docs/describe-pattern.js';
import { BlobStandIn } from '../../support/servers/blob-stand-in.js';

interface Employee {
  readonly id: string;
  readonly name: string;
}

function readList(index: BlobStandIn, name: string): string[] {
  return JSON.parse(index.download(`Sales/${name}.json`)?.toString() ?? '[]');
}

/** Writes the employee first: a number in the list always leads to an entity. */
async function hire(staff: TableClient, index: BlobStandIn, { id, name }: Employee) {
  await staff.upsertEntity({ partitionKey: 'Sales', rowKey: id, name }, 'Replace');
  const ids = new Set([...readList(index, name), id]);
  index.upload(`Sales/${name}.json`, Buffer.from(JSON.stringify([...ids])));
}

const findByName = (staff: TableClient, index: BlobStandIn, name: string) =>
  Promise.all(readList(index, name).map((id) => staff.getEntity<Employee>('Sales', id)));

describePattern(import.meta.url, async ({ table, step }) => {
  const [staff, index] = [await table('Staff'), new BlobStandIn()];
  await step('hire an employee, beside a read and a write of the blob', writes(1), () =>
    hire(staff, index, { id: '000152', name: 'Jones' }),
  );
  await hire(staff, index, { id: '000223', name: 'Jones' });
  await hire(staff, index, { id: '000500', name: 'Smith' });

  const found = await step('find the two called Jones, beside a read of the blob', points(2), () =>
    findByName(staff, index, 'Jones'),
  );
  expect(found.map(({ rowKey }) => rowKey)).toEqual(['000152', '000223']);
});
