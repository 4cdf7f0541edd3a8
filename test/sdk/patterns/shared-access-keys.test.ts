/**
 * Shared access signatures for key ranges
 *
 * Problem: A partner may read the employees of one department, and write some of them, without a server between the partner and
 * the table. The signature is limited to a range of keys.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000100` to `000199` | the employees that the partner may see |
 * | `Sales` | `000200` and later | others |
 *
 * When not: What a client may see does not depend on the keys. In that case, filter on a server of your own.
 *
 * Source: Table design guide, "Work with shared access signatures".
 */
import {
  type AzureNamedKeyCredential,
  AzureSASCredential,
  generateTableSas,
  odata,
  type TableClient,
} from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describePattern, query, writes } from '../../support/docs/describe-pattern.js';

/** Signs the right to read and change these employees of Sales for one hour. The account key stays with the signer. */
const signRange = (table: string, key: AzureNamedKeyCredential, from: string, to: string) =>
  generateTableSas(table, key, {
    permissions: { query: true, update: true },
    expiresOn: new Date(Date.now() + 3_600_000),
    ...{ startPartitionKey: 'Sales', endPartitionKey: 'Sales', startRowKey: from, endRowKey: to },
  });

/** A query gets what is in the range, whatever it asks for. */
const listSales = (staff: TableClient) =>
  all(staff.listEntities({ queryOptions: { filter: odata`PartitionKey eq 'Sales'`, select: ['rowKey'] } }));

const setRoom = (staff: TableClient, rowKey: string, room: string) =>
  staff.updateEntity({ partitionKey: 'Sales', rowKey, room }, 'Merge');

describePattern(import.meta.url, async ({ table, server, step }) => {
  const staff = await table('Staff');
  for (const rowKey of ['000123', '000150', '000200']) await staff.createEntity({ partitionKey: 'Sales', rowKey });
  const signature = signRange('Staff', server.credential, '000100', '000199');
  const partner = server.openSigned(staff, new AzureSASCredential(signature));

  const listed = await step('list employees as the partner', query('partition-scan', 2), () => listSales(partner));
  expect(listed.map(({ rowKey }) => rowKey)).toEqual(['000123', '000150']);
  await step('change one of them', writes(1), () => setRoom(partner, '000123', '4.12'));
  await expect(setRoom(partner, '000200', '4.12')).rejects.toMatchObject({ statusCode: 403 });
  await expect(partner.createEntity({ partitionKey: 'Sales', rowKey: '000160' })).rejects.toMatchObject({
    statusCode: 403,
  });

  server.pass(3_600_000);
  await expect(listSales(partner)).rejects.toMatchObject({ statusCode: 403 });
});
