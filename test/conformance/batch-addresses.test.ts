import { Agent, request } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { expectTableError } from '../support/answers/expect-error.js';
import {
  batchBoundary,
  batchTools,
  expectFailure,
  expectParts,
  insert,
  read,
  writeBare,
  writeChangeSet,
} from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';
import type { RunningService } from '../support/servers/start-service.js';
import { authorizationOf } from '../support/signatures/sign-request.js';

const noContent = 'Prefer: return-no-content';

describeService('Entity Group Transaction, addresses', (tools) => {
  const { client, withTable, withEntity, service } = tools;
  const { sendChangeSet, sendBody } = batchTools(tools);
  const byHost = () => ({ Host: `devstoreaccount1.table.localhost:${new URL(service().url).port}` });

  it.each<[string, (table: string, host: string) => string]>([
    ['a path', (table) => `/${table}`],
    ['an absolute URL', (table, host) => `http://${host}/${table}`],
    ["the cloud's URL", (table) => `https://devstoreaccount1.table.core.windows.net/${table}`],
  ])('accepts the account in the host name, and %s in the batch', async (_, urlOf) => {
    const table = await withTable();
    const headers = byHost();
    const part = insert('', { PartitionKey: 'p', RowKey: 'r' }, noContent);

    const answer = await sendBody(writeChangeSet([{ ...part, url: urlOf(table, headers.Host) }]), {
      prefix: '',
      headers,
    });

    const [answered] = expectParts(answer, ['204 No Content']);
    expect(Object.fromEntries(answered?.headers ?? [])['Location']).toBe(
      `http://${headers.Host}/${table}(PartitionKey='p',RowKey='r')`,
    );
  });

  it('rejects a path with the account if the host name contains the account', async () => {
    const table = await withTable();
    const part = { ...insert('', { PartitionKey: 'p', RowKey: 'r' }), url: `/devstoreaccount1/${table}` };

    const answer = await sendBody(writeChangeSet([part]), { prefix: '', headers: byHost() });

    expectFailure(answer, {
      status: '400 Bad Request',
      code: 'InvalidInput',
      message: '0:One of the request inputs is not valid.',
      set: 'B1',
    });
  });

  it('rejects writes at the secondary address', async () => {
    const { table } = await withEntity();
    const parts = [insert(table, { PartitionKey: 'p', RowKey: '1' })];
    const port = new URL(service().url).port;

    const byPath = await sendChangeSet(parts, { prefix: '/devstoreaccount1-secondary' });
    const byName = await sendChangeSet(parts, {
      prefix: '',
      headers: { Host: `devstoreaccount1-secondary.table.localhost:${port}` },
    });

    for (const answer of [byPath, byName]) {
      expectTableError(answer, 403, 'InsufficientAccountPermissions', { set: 'B2' });
    }
    expect((await client.get(`/${table}`)).rows).toHaveLength(1);
  });

  it('reads at the secondary address', async () => {
    const { table, path } = await withEntity();
    const byPath = { prefix: '/devstoreaccount1-secondary' };
    const byName = {
      prefix: '',
      headers: { Host: `devstoreaccount1-secondary.table.localhost:${new URL(service().url).port}` },
    };

    for (const options of [byPath, byName]) {
      for (const target of [path, `/${table}`]) {
        const answer = await sendBody(writeBare([read(target)]), options);
        expectParts(answer, ['200 OK']);
      }
    }
  });

  it.each<[string, (table: string) => string]>([
    ['an empty change set', () => writeChangeSet([])],
    ['a read in a change set', (table) => writeChangeSet([read(`/${table}`)])],
  ])('rejects %s at the secondary address', async (_, write) => {
    const { table } = await withEntity();

    const answer = await sendBody(write(table), { prefix: '/devstoreaccount1-secondary' });

    expectTableError(answer, 403, 'InsufficientAccountPermissions', { set: 'B2' });
  });

  it('accepts POST only', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await client.send(method, '/$batch');
      expectTableError(answer, 405, 'MethodNotAllowed', { set: 'B1' });
    }
  });

  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterAll(() => agent.destroy());

  it('leaves the connection open for the next request, regardless of the outcome', async () => {
    const { table, path } = await withEntity();
    const send = (body: string, contentType?: string) => postOn(agent, service(), body, contentType);
    const good = (RowKey: string) => writeChangeSet([insert(table, { PartitionKey: 'p', RowKey }, noContent)]);
    const bad: [body: string, status: number, contentType?: string][] = [
      [writeChangeSet([insert(table, { PartitionKey: 'p', RowKey: 'r' })]), 202],
      [writeChangeSet([insert('missing', { PartitionKey: 'p', RowKey: 'r' })]), 202],
      [writeChangeSet(Array(101).fill(insert(table, { PartitionKey: 'p', RowKey: 'r' }))), 202],
      [writeChangeSet([read(path)]), 202],
      [writeBare([read(path.replace("'r'", "'missing'"))]), 202],
      ['', 202],
      [good('never').slice(0, 200), 400],
      [good('never'), 400, 'text/plain'],
      ['x'.repeat(5 * 1024 * 1024), 413],
    ];
    const { from } = await send(good('first'));

    for (const [at, [body, status, contentType]] of bad.entries()) {
      expect(await send(body, contentType), `bad batch ${at}`).toEqual({ status, from });
      expect(await send(good(`after ${at}`)), `good batch ${at}`).toEqual({ status: 202, from });
    }

    const rows = (await client.get(`/${table}`)).rows.map((row) => row['RowKey']);
    expect(rows).toEqual([...bad.keys()].map((at) => `after ${at}`).concat('first', 'r'));
  });
});

/** Posts a batch, and returns the status and the client port, which identifies the connection. */
function postOn(
  agent: Agent,
  { url, account }: RunningService,
  body: string,
  contentType = `multipart/mixed; boundary=${batchBoundary}`,
): Promise<{ status: number | undefined; from: number | undefined }> {
  const { hostname, port } = new URL(url);
  const path = `/${account.name}/$batch`;
  const date = new Date().toUTCString();
  const signer = { scheme: 'SharedKey', account: account.name, key: account.keys[0] ?? '' } as const;
  const headers = {
    'x-ms-version': '2019-02-02',
    'x-ms-date': date,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    Authorization: authorizationOf({ method: 'POST', target: path, date, contentType }, signer),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, method: 'POST', path, headers }, (response) => {
      response.resume().on('error', reject);
      const from = response.socket.localPort;
      response.on('end', () => resolve({ status: response.statusCode, from }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
