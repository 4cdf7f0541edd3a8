import { expect, it } from 'vitest';
import { describeService } from '../../support/servers/describe-service.js';

describeService('What a server has removed', ({ client, service, withEntity }) => {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${service().url}/_tabularium${path}`, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  it('is listed, and given back by the id that the answer has', async () => {
    const { path, table, etag } = await withEntity();
    const { body } = await ask('POST', '/entities/delete', { table, filter: "PartitionKey eq 'p'" });
    expect(body).toEqual({ entities: 1, undo: 'undo-1' });
    expect((await client.get(path)).status).toBe(404);
    expect(await ask('GET', '/undo')).toEqual({
      status: 200,
      body: {
        undo: [
          {
            id: 'undo-1',
            what: `delete devstoreaccount1/${table} where PartitionKey eq 'p'`,
            at: expect.stringMatching(/Z$/),
            until: expect.stringMatching(/Z$/),
          },
        ],
      },
    });
    expect(await ask('POST', '/undo', { id: 'undo-1' })).toEqual({
      status: 200,
      body: {
        ...{ id: 'undo-1', what: expect.any(String), tables: 1, undo: 'undo-2' },
        ms: expect.any(Number),
      },
    });
    expect((await client.get(path)).headers['etag']).toBe(etag);
  });

  it('is given back without an id if it was removed last', async () => {
    const { path } = await withEntity();
    expect((await ask('POST', '/reset', {})).body).toHaveProperty('undo');
    expect((await ask('POST', '/undo', {})).status).toBe(200);
    expect((await client.get(path)).status).toBe(200);
  });

  it('is given back if an import has replaced it, and what the import has brought goes', async () => {
    const { path, table, etag } = await withEntity();
    const rows = ['r', 's'].map((RowKey) => JSON.stringify({ PartitionKey: 'p', RowKey, A: 'other' }));
    const answer = await fetch(`${service().url}/_tabularium/import?table=${table}&mode=replace`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: `${rows.join('\n')}\n`,
    });
    const report = JSON.parse((await answer.text()).trimEnd().split('\n').at(-1) ?? '');
    expect(report).toMatchObject({ done: true, rows: 2, undo: expect.stringMatching(/^undo-\d+$/) });
    expect((await client.get(path)).headers['etag']).not.toBe(etag);
    const undone = await ask('POST', '/undo', { id: report.undo });
    expect(undone.body).toMatchObject({ what: `import into all accounts/${table}`, tables: 1 });
    expect((await client.get(path)).headers['etag']).toBe(etag);
    expect((await client.get(path.replace("'r'", "'s'"))).status).toBe(404);
  });

  it('is not there if nothing is kept of it', async () => {
    expect(await ask('POST', '/undo', { id: 'undo-99' })).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
  });
});
