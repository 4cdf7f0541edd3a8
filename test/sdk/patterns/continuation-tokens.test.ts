/**
 * Continuation tokens
 *
 * Problem: A response has at most 1,000 entities, and may end earlier: after five seconds, at a partition boundary, even before
 * the first match. Only a token shows that there is more.
 *
 * | PartitionKey | RowKey | what it is |
 * | --- | --- | --- |
 * | `Sales` | `000123` | one of 250 employees |
 *
 * When not: The first entities are enough. In that case, request that many, and ignore the token.
 *
 * Source: Table design guide, "Retrieve large numbers of entities from a query".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { insertAll } from '../../support/bodies/insert-all.js';
import { describePattern, query } from '../../support/docs/describe-pattern.js';

const list = (staff: TableClient) =>
  staff.listEntities({ queryOptions: { filter: odata`PartitionKey eq 'Sales'`, select: ['rowKey'] } });

/** The iterator asks for pages until there is no token, also after a page without entities. */
const listAll = (staff: TableClient) => all(list(staff));

/** A page and the token of the next one. The token is a text: it can be kept, and used later by another process. */
async function listPage(staff: TableClient, size: number, token?: string) {
  for await (const page of list(staff).byPage({ maxPageSize: size, ...(token && { continuationToken: token }) })) {
    return { ids: page.map(({ rowKey }) => rowKey), token: page.continuationToken };
  }
  return { ids: [] };
}

describePattern(import.meta.url, async ({ table, server, step }) => {
  const staff = await table('Staff');
  const ids = Array.from({ length: 250 }, (_, at) => String(at).padStart(6, '0'));
  await insertAll(
    staff,
    ids.map((rowKey) => ({ partitionKey: 'Sales', rowKey })),
  );

  const page = query('partition-scan', 100);
  const first = await step('list the first 100', page, () => listPage(staff, 100));
  const second = await step('list the next 100, with the token', page, () => listPage(staff, 100, first.token));
  const third = await step('list the rest', query('partition-scan', 50), () => listPage(staff, 100, second.token));
  expect([...first.ids, ...second.ids, ...third.ids]).toEqual(ids);
  expect(third.token).toBeUndefined();

  // The cloud may answer with a token and no entities.
  const slow = server.openWithEmptyPage(staff);
  expect(await listPage(slow, 100)).toMatchObject({ ids: [], token: expect.any(String) });
  const two = query('partition-scan', 250, 250, 2);
  const listed = await step('list all, after a page without entities', two, () => listAll(slow));
  expect(listed).toHaveLength(250);
});
