import { AzureSASCredential, TableClient } from '@azure/data-tables';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { sdkRejection } from '../support/clients/sdk-clients.js';

const account = 'devstoreaccount1';
let server: Tabularium;
beforeEach(async () => {
  server = await startTabularium({ admin: 'token', adminToken: 'all', adminReadToken: 'some' });
});
afterEach(() => server.close());

/** Calls a control endpoint. Returns the status and the body. */
async function call(
  path: string,
  body: object,
  token = 'all',
): Promise<{ status: number; sas?: string; date?: string; authorization?: string; error?: string }> {
  const answer = await fetch(`${server.url}/_tabularium${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
}

it('The server signs access that Microsoft’s SDK uses, by its own clock', async () => {
  const owner = TableClient.fromConnectionString(server.connectionString, 'Orders', { allowInsecureConnection: true });
  await owner.createTable();
  for (const rowKey of ['1', '2']) await owner.createEntity({ partitionKey: 'p', rowKey });
  await call('/clock/advance', { by: '3d' });
  const range = { startPartition: 'p', startRow: '2', endPartition: 'p', endRow: '2' };
  const { status, sas = '' } = await call('/sas', { account, table: 'Orders', permissions: 'r', hours: 2, ...range });
  expect(status).toBe(200);
  const left = Date.parse(new URLSearchParams(sas).get('se') ?? '') - Date.now();
  expect(left).toBeGreaterThan(3 * 24 * 3_600_000);
  const reader = new TableClient(`${server.url}/${account}`, 'Orders', new AzureSASCredential(sas), {
    allowInsecureConnection: true,
  });
  expect((await reader.getEntity('p', '2')).rowKey).toBe('2');
  expect(await sdkRejection(reader.getEntity('p', '1'))).toMatchObject({ statusCode: 404 });
  expect(await sdkRejection(reader.createEntity({ partitionKey: 'p', rowKey: '2' }))).toMatchObject({
    statusCode: 403,
  });
});

it.each([
  [{ account: 'nobody' }, 404, "There is no account 'nobody'."],
  [{ account, startRow: 'a', table: 'Orders' }, 400, "'startRow' needs 'startPartition'."],
  [{ account, policy: 'readers' }, 400, "'policy' needs 'table'."],
  [{ account, hours: 0 }, 400, "'hours' 0 is not a valid number of hours. Use a positive number."],
  [{ account, permissions: 'x' }, 400, "'permissions': 'x' is not one of rwdlacu."],
  [{}, 400, expect.stringContaining("'account'")],
])('A wish that cannot be signed is rejected with the field and the cure: %j', async (wish, status, error) => {
  expect(await call('/sas', wish)).toMatchObject({ status, error });
});

it('The server signs the requests that only the owner may send: its policies are read and set without a key', async () => {
  const owner = TableClient.fromConnectionString(server.connectionString, 'Orders', { allowInsecureConnection: true });
  await owner.createTable();
  const { date = '', authorization = '' } = await call('/policies/sign', { account, table: 'Orders' });
  const headers = { 'x-ms-date': date, Authorization: authorization, 'x-ms-version': '2019-02-02' };
  const url = `${server.url}/${account}/Orders?comp=acl`;
  const body =
    '<SignedIdentifiers><SignedIdentifier><Id>readers</Id><AccessPolicy><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>';
  const put = await fetch(url, {
    method: 'PUT',
    headers: { ...headers, 'Content-Type': 'application/xml', Accept: 'application/xml' },
    body,
  });
  expect(put.status, await put.text()).toBe(204);
  expect(await (await fetch(url, { headers })).text()).toContain('<Id>readers</Id>');
  const { status } = await fetch(url.replace('Orders', 'Others'), { headers });
  expect(status).toBe(403);
});

it('A token that may only read signs nothing', async () => {
  expect(await call('/sas', { account }, 'some')).toMatchObject({ status: 403 });
  expect(await call('/policies/sign', { account, table: 'T' }, 'some')).toMatchObject({ status: 403 });
});
