import { expect, it } from 'vitest';
import {
  batchTools,
  expectParts,
  insert,
  type PartRequest,
  readBatchAnswer,
  remove,
  update,
} from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const partsPerBatch = 100;

/** Splits a list into groups of at most 100 items, the maximum of a batch. */
function groupsOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / partsPerBatch);
  return Array.from({ length: count }, (_, at) => items.slice(at * partsPerBatch, (at + 1) * partsPerBatch));
}

/**
 * Returns the tag that a .NET library builds for an entity that it queried without metadata: the Timestamp in .NET's
 * format "o", which always has seven fraction digits.
 */
function tagInRoundTripFormat(timestamp: string): string {
  const [whole = '', fraction = ''] = timestamp.slice(0, -1).split('.');
  return `W/"datetime'${encodeURIComponent(`${whole}.${fraction.padEnd(7, '0')}Z`)}'"`;
}

describeService('If-Match with instants', (tools) => {
  const { client, withTable, withEntity } = tools;
  const { sendChangeSet } = batchTools(tools);

  /** Queries all entities without metadata, and returns the path and the .NET tag of each. */
  async function queryTags(table: string): Promise<{ path: string; tag: string; timestamp: string }[]> {
    const found = [];
    let query = '';
    for (;;) {
      const page = await client.get(`/${table}()${query}`, { accept: 'application/json;odata=nometadata' });
      for (const { RowKey, Timestamp } of page.rows) {
        const timestamp = String(Timestamp);
        const path = `/${table}(PartitionKey='p',RowKey='${RowKey}')`;
        found.push({ path, timestamp, tag: tagInRoundTripFormat(timestamp) });
      }
      const partition = page.headers['x-ms-continuation-nextpartitionkey'];
      if (partition === undefined) return found;
      query = `?NextPartitionKey=${partition}&NextRowKey=${page.headers['x-ms-continuation-nextrowkey']}`;
    }
  }

  async function expectAllDone(parts: readonly PartRequest[]): Promise<void> {
    for (const group of groupsOf(parts)) {
      const answer = readBatchAnswer(await sendChangeSet(group));
      expect(new Set(answer.parts.map(({ statusLine }) => statusLine))).toEqual(new Set(['HTTP/1.1 204 No Content']));
    }
  }

  it('updates and deletes thousands of queried entities with tags of seven digits, in transactions', async () => {
    const table = await withTable();
    const entities = Array.from({ length: 3000 }, (_, at) => ({ PartitionKey: 'p', RowKey: String(at) }));
    await expectAllDone(entities.map((entity) => insert(table, entity, 'Prefer: return-no-content')));
    const inserted = await queryTags(table);
    expect(inserted).toHaveLength(3000);
    expect(inserted.filter(({ timestamp }) => timestamp.length < '2020-01-01T00:00:00.0000000Z'.length)).not.toEqual(
      [],
    );

    await expectAllDone(inserted.map(({ path, tag }) => update('MERGE', path, { A: 1 }, `If-Match: ${tag}`)));
    const updated = await queryTags(table);
    await expectAllDone(updated.map(({ path, tag }) => remove(path, tag)));

    expect(await queryTags(table)).toEqual([]);
  });

  it('updates and deletes queried entities with tags of seven digits, one by one', async () => {
    const table = await withTable();
    const entities = Array.from({ length: 100 }, (_, at) => ({ PartitionKey: 'p', RowKey: String(at) }));
    await expectAllDone(entities.map((entity) => insert(table, entity, 'Prefer: return-no-content')));

    const updates = (await queryTags(table)).map(({ path, tag }) => client.put(path, { A: 1 }, { ifMatch: tag }));
    const updated = await Promise.all(updates);
    const deletes = (await queryTags(table)).map(({ path, tag }) => client.delete(path, { ifMatch: tag }));
    const deleted = await Promise.all(deletes);

    expect(new Set(updated.map(({ status }) => status))).toEqual(new Set([204]));
    expect(new Set(deleted.map(({ status }) => status))).toEqual(new Set([204]));
  });

  it.each([
    ['lower-case percent-encoding', (tag: string) => tag.replaceAll('%3A', '%3a')],
    ['bare colons', (tag: string) => tag.replaceAll('%3A', ':')],
    ['every possible character encoded', (tag: string) => tag.replaceAll('.', '%2E').replaceAll('-', '%2D')],
    ['an offset instead of Z', (tag: string) => tag.replace('Z', '%2B00%3A00')],
    ['an unencoded offset instead of Z', (tag: string) => tag.replace('Z', '+00:00')],
    ['another case of the prefix', (tag: string) => tag.replace('datetime', 'DateTime')],
  ])('accepts the tag with %s', async (_form, write) => {
    const { path, etag } = await withEntity();

    const updated = await client.merge(path, { A: 'y' }, { ifMatch: write(etag) });
    const deleted = await client.delete(path, { ifMatch: write(updated.headers['etag'] ?? '') });

    expect(updated.status, updated.body).toBe(204);
    expect(deleted.status, deleted.body).toBe(204);
  });

  it.each([
    ['400 Bad Request', 'InvalidInput', '"wrong"'],
    ['400 Bad Request', 'InvalidInput', '"*"'],
    ['400 Bad Request', 'InvalidInput', '""'],
    ['412 Precondition Failed', 'ConditionNotMet', 'W/"wrong"'],
    ['412 Precondition Failed', 'ConditionNotMet', `W/"datetime''2017-04-01T01%3A07%3A23.8881885Z''"`],
  ])('answers %s %s for a tag of %s in a part of a batch', async (status, code, tag) => {
    const { table, path } = await withEntity();

    const merged = await sendChangeSet([
      insert(table, { PartitionKey: 'p', RowKey: 'other' }),
      update('MERGE', path, { A: 'y' }, `If-Match: ${tag}`),
    ]);
    const deleted = await sendChangeSet([remove(path, tag)]);

    for (const answer of [merged, deleted]) {
      const [part] = expectParts(answer, [status]);
      expect(part?.json).toMatchObject({ 'odata.error': { code } });
      expect(part?.headers.map(([name]) => name)).not.toContain('Cache-Control');
    }
  });
});
