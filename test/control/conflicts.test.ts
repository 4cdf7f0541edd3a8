import { expect, it } from 'vitest';
import type { Explanation } from '../../src/protocol/explanation.js';
import type { Answer } from '../support/answers/answer.js';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';
import { type AccessFields, signAccess, tableAccess } from '../support/signatures/sign-access.js';

const explain = { 'x-tabularium-explain': '1' };

describeService('A write that the state of its entity rejects', ({ client, service, withEntity }) => {
  const control = (path: string, init?: RequestInit) => fetch(`${service().url}/_tabularium${path}`, init);
  const whyOf = async ({ headers }: Answer) =>
    (await (await control(`/why?id=${headers['x-ms-request-id']}`)).json()) as Explanation;
  const detailOf = ({ details = [] }: Explanation, name: string) => details.find((one) => one.name === name)?.value;
  const mark = (name: string) => {
    const headers = { 'Content-Type': 'application/json' };
    return control('/marks', { method: 'POST', headers, body: JSON.stringify({ name }) });
  };

  it('with 409 is explained by the request that wrote the entity', async () => {
    const { table } = await withEntity();
    await mark('a test');
    const keys = { PartitionKey: 'new', RowKey: 'r' };
    const writer = await client.post(`/${table}`, keys, { headers: { 'User-Agent': 'Writer/1.0' } });
    await mark('another test');
    const rejected = await client.post(`/${table}`, keys, { headers: explain });

    expect(rejected.status).toBe(409);
    const id = writer.headers['x-ms-request-id'];
    const why = await whyOf(rejected);
    expect(why.cause).toBe('entity-exists');
    expect(why.text).toMatch(new RegExp(`Insert Entity \\(request ${id}\\) wrote it at \\d{4}-.*Z\\.$`));
    expect(detailOf(why, 'written by')).toBe(id);
    expect(detailOf(why, 'client')).toMatch(/^\S*127\.0\.0\.1 Writer\/1\.0$/);
    expect(detailOf(why, 'mark')).toBe('a test');
    expect(rejected.headers['x-tabularium-why']).toContain(`entity-exists; `);
    expect(rejected.headers['x-tabularium-why']).toContain(`request ${id}`);
  });

  it('with 412 is explained by both tags and by the request that changed the entity', async () => {
    const { path, etag } = await withEntity();
    const writer = await client.merge(path, { A: 'y' });
    const rejected = await client.put(path, { A: 'z' }, { headers: { 'If-Match': etag } });

    expect(rejected.status).toBe(412);
    const why = await whyOf(rejected);
    expect(why.cause).toBe('etag-outdated');
    expect(why.details).toMatchObject([
      { name: 'If-Match', value: etag, holds: false },
      { name: 'present ETag', value: writer.headers['etag'] },
      { name: 'written by', value: writer.headers['x-ms-request-id'] },
      { name: 'operation', value: 'Merge Entity' },
      { name: 'client' },
      { name: 'at' },
      ...(detailOf(why, 'mark') === undefined ? [] : [{ name: 'mark' }]),
    ]);
  });

  it('with 404 is explained by the request that deleted the entity, as is a read', async () => {
    const { table, path } = await withEntity();
    const writer = await client.delete(path, { headers: { 'If-Match': '*' } });
    const rejected = [await client.get(path), await client.put(path, {}, { headers: { 'If-Match': '*' } })];
    for (const answer of rejected) {
      const why = await whyOf(answer);
      expect([answer.status, why.cause]).toEqual([404, 'entity-deleted']);
      expect(why.text).toContain(`Delete Entity (request ${writer.headers['x-ms-request-id']}) deleted it at`);
    }
    const never = await whyOf(await client.get(`/${table}(PartitionKey='p',RowKey='never')`));
    expect(never.cause).toBe('ResourceNotFound');
  });

  it.each<[string, AccessFields, string]>([
    ['outside of its keys', { spk: 'q', epk: 'r' }, 'sas-key-range'],
    ['that it may not read', { sv: '2014-02-14', sp: 'a' }, 'ResourceNotFound'],
  ])('with 404 tells a signature nothing of requests for an entity %s', async (_what, fields, cause) => {
    const { table, path } = await withEntity();
    const writer = await client.delete(path, { headers: { 'If-Match': '*' } });
    const query = signAccess(tableAccess(table, fields));
    const { status, headers } = await client.get(`${path}?${query}`, { auth: 'none', headers: explain });

    expect(status).toBe(404);
    const why = headers['x-tabularium-why'] ?? '';
    expect(why.split(';')[0]).toBe(cause);
    expect(why).not.toMatch(/delete/i);
    expect(why).not.toContain(writer.headers['x-ms-request-id']);
  });

  it('of a transaction is explained by the transaction that wrote the entity', async () => {
    const { table } = await withEntity();
    const headers = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
    const send = (...keys: string[]) => {
      const parts = keys.map((RowKey) => insert(table, { PartitionKey: 'p', RowKey }));
      return client.post('/$batch', writeChangeSet(parts), { headers });
    };
    const writer = await send('a', 'b');
    const why = await whyOf(await send('c', 'b'));
    expect(why.text).toMatch(/^Operation 1 of the transaction/);
    expect(detailOf(why, 'written by')).toBe(writer.headers['x-ms-request-id']);
  });

  it('that retries a write which succeeded gets that explanation', async () => {
    const { table } = await withEntity();
    const headers = { 'x-ms-client-request-id': 'one and the same' };
    const keys = { PartitionKey: 'repeated', RowKey: 'r' };
    await client.post(`/${table}`, keys, { headers });
    const why = await whyOf(await client.post(`/${table}`, keys, { headers }));
    expect(why.cause).toBe('own-repetition');
    expect(why.advice).toContain('count the rejection as success');
  });

  it('names the newest of many concurrent writers', async () => {
    const { path, etag } = await withEntity();
    const writers = await Promise.all(Array.from({ length: 20 }, (_, at) => client.merge(path, { A: `${at}` })));
    const rejected = await client.merge(path, { A: 'z' }, { headers: { 'If-Match': etag } });
    const why = await whyOf(rejected);
    const writer = writers.find(({ headers }) => headers['etag'] === detailOf(why, 'present ETag'));
    expect(detailOf(why, 'written by')).toBe(writer?.headers['x-ms-request-id']);
  });
});
