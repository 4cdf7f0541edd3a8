import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { sdkClients, sdkRejection } from '../support/clients/sdk-clients.js';
import { ServiceClient } from '../support/clients/service-client.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { linesOf, openLine, requestOf } from '../support/pages/request-lines.js';
import type { RunningService } from '../support/servers/start-service.js';

/** A key that was not decoded from base64 before signing: the most frequent mistake. */
const keyAsText = (key: string) => Buffer.from(key).toString('base64');

const { name: account } = developmentAccount;

describeExplorer('The tab Requests', (explorer) => {
  const { open, client, withTable } = explorer;
  const clientsOf = () => sdkClients(explorer.service, 'path');

  it('shows a request as it comes, and why it was rejected', async () => {
    const page = await open(`/${account}/requests`);
    await page.getByText('No requests yet').waitFor();

    const { name, keys } = explorer.service.account;
    const credential = new AzureNamedKeyCredential(name, keyAsText(keys[0] ?? ''));
    const table = new TableClient(explorer.service.base, 'orders', credential, {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
    expect(await sdkRejection(table.getEntity('p', 'r'))).toMatchObject({ statusCode: 403 });

    await linesOf(page, 'key-as-text').waitFor();
    expect(await linesOf(page).locator('.rejected').first().textContent()).toBe('403');
    const request = await openLine(page, 'key-as-text');
    await request.getByRole('region', { name: 'Why it was rejected' }).getByText('base64').first().waitFor();
    await request.getByText('--journalBodies').waitFor();
    expect(await page.locator('body').textContent()).not.toContain(keys[0]);
  });

  it('keeps the open request and its line where they are, while more wait until the user takes them', async () => {
    const table = await withTable('readings');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    for (let at = 0; at < 3; at++) await table.getEntity('p', 'r');

    const page = await open(`/${account}/requests?table=readings&op=GetEntity`);
    await linesOf(page).nth(2).waitFor();
    const request = await openLine(page, '200');
    const id = () => request.getByText('CorrelationId', { exact: true }).locator('..').textContent();
    const first = await id();
    await linesOf(page).last().click();
    await expect.poll(id).not.toBe(first);

    await table.getEntity('p', 'r');
    await page.getByRole('button', { name: '1 new ↑' }).waitFor();
    expect(await linesOf(page).count()).toBe(3);
    await page.getByRole('button', { name: '1 new ↑' }).click();
    await expect.poll(() => linesOf(page).count()).toBe(4);
    await request.waitFor();
  });

  it('has the open request in its address, which survives a reload, and Back closes it', async () => {
    const table = await withTable('linked');
    expect(await sdkRejection(table.getEntity('p', 'gone'))).toMatchObject({ statusCode: 404 });
    const page = await open(`/${account}/requests?table=linked`);
    await openLine(page, 'ResourceNotFound');
    expect(new URL(page.url()).hash).toMatch(/^#\/devstoreaccount1\/requests\/[\da-f-]{36}\?table=linked$/);

    await page.reload();
    await requestOf(page).getByRole('heading', { name: '404 GetEntity' }).waitFor();
    // The list is not empty beside it.
    await linesOf(page, 'ResourceNotFound').waitFor({ timeout: 10_000 });
    await requestOf(page).getByRole('button', { name: 'Close' }).click();
    await requestOf(page).waitFor({ state: 'detached' });
    await openLine(page, 'ResourceNotFound');
    await page.goBack();
    await requestOf(page).waitFor({ state: 'detached' });
    expect(new URL(page.url()).hash).toBe('#/devstoreaccount1/requests?table=linked');
  });

  it('says that the journal no longer has a request', async () => {
    const page = await open(`/${account}/requests/7c3f2f7e-0002-0015-5f1a-1e7d2d000000`);
    await requestOf(page).getByText('The journal does not have the request').waitFor();
  });

  it('is used by keys alone, and the focus returns to the list', async () => {
    const table = await withTable('keyed');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const page = await open(`/${account}/requests?table=keyed&op=InsertEntity`);
    await linesOf(page).waitFor();
    const grid = page.getByRole('grid');
    await grid.focus();
    await page.keyboard.press('Enter');
    await requestOf(page).and(page.locator(':focus')).waitFor();
    await requestOf(page).getByRole('button', { name: 'Copy as curl' }).waitFor();
    await page.keyboard.press('Escape');
    await requestOf(page).waitFor({ state: 'detached' });
    expect(await grid.and(page.locator(':focus')).count()).toBe(1);
  });

  it('narrows the list by status and text, and keeps that in the address', async () => {
    const table = await withTable('narrowed');
    expect(await sdkRejection(table.getEntity('p', 'missing-one'))).toMatchObject({ statusCode: 404 });

    const page = await open(`/${account}/requests`);
    await linesOf(page, 'narrowed').first().waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('4xx');
    await page.getByLabel('Text', { exact: true }).fill('missing-one');
    await expect.poll(() => linesOf(page).count()).toBe(1);
    expect(new URL(page.url()).hash).toContain('status=4xx&text=missing-one');

    await page.reload();
    await linesOf(page, '404').waitFor();
    expect(await linesOf(page).count()).toBe(1);
  });

  it('leads from a query to the tab Data with its filter', async () => {
    const clients = clientsOf();
    const table = clients.table('opened');
    await table.createTable();
    for await (const _ of table.listEntities({ queryOptions: { filter: "Name eq 'O''Hara'" } }));
    clients.close();

    const page = await open(`/${account}/requests?table=opened&class=table-scan`);
    await openLine(page, 'table scan');
    await page.getByRole('link', { name: 'Open this query' }).click();
    await page.locator('#content[data-tab=data]').waitFor();
    const [path, query] = new URL(page.url()).hash.split('?');
    expect(path).toBe(`#/${account}/data/opened`);
    expect(new URLSearchParams(query).get('filter')).toBe("Name eq 'O''Hara'");
  });

  it('lists the account of the page, or all of them with their names', async () => {
    await withTable('both');
    const { body: made } = await client.post('/_tabularium/branches', {}, { prefix: '' });
    const { body } = await client.post('/_tabularium/session', {}, { prefix: '' });
    const accounts: readonly { name: string; sas: string }[] = JSON.parse(body).accounts;
    const branch = accounts.find(({ name }) => name === JSON.parse(made).account);
    await fetch(`${explorer.service.url}/${branch?.name}/both()?${branch?.sas}`);

    const page = await open(`/${account}/requests?table=both`);
    await linesOf(page, 'CreateTable').waitFor();
    expect(await linesOf(page, 'QueryEntities').count()).toBe(0);
    await page.getByLabel('All accounts').check();
    await linesOf(page, 'QueryEntities')
      .getByText(branch?.name ?? '')
      .waitFor();
    await page.reload();
    await linesOf(page, 'QueryEntities')
      .getByText(branch?.name ?? '')
      .waitFor();
  });

  it('fits a window of any width', async () => {
    const table = await withTable('fitted');
    expect(await sdkRejection(table.getEntity('p', 'gone'))).toMatchObject({ statusCode: 404 });
    const page = await open(`/${account}/requests?table=fitted`);
    await linesOf(page).first().waitFor();
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    const heads = page.getByRole('columnheader');
    const right = await heads.last().boundingBox();
    expect([await heads.count(), (right?.x ?? 0) + (right?.width ?? 0) <= 1280, await overflow()]).toEqual([
      10,
      true,
      0,
    ]);

    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => heads.allTextContents()).toEqual(['Status', 'Operation', 'What']);
    expect((await linesOf(page).first().boundingBox())?.y).toBeLessThanOrEqual(160);
    await linesOf(page, '404').getByText('ResourceNotFound').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('2xx');
    await linesOf(page, '404').waitFor({ state: 'detached' });
    const request = await openLine(page, 'CreateTable');
    expect(await request.boundingBox()).toMatchObject({ x: 0, width: 390 });
    expect(await overflow()).toBe(0);
  });
});

describeExplorer('A request of a server that keeps bodies', ({ openAt }) => {
  let server: Tabularium;
  let client: ServiceClient;
  beforeAll(async () => {
    server = await startTabularium({ journalBodies: true });
    const service = { url: server.url, base: server.endpoint(), account: developmentAccount } as RunningService;
    client = new ServiceClient(() => service);
    await client.post('/Tables', { TableName: 'People' });
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });
  const openList = (query: string) => openAt(server.url, `#/${account}/requests?${query}`);
  const confirm = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();

  it('has both bodies with all digits, and the headers without the signature', async () => {
    await client.post('/People', {
      PartitionKey: 'p',
      RowKey: 'digits',
      'A@odata.type': 'Edm.Int64',
      A: '9007199254740993',
    });
    const page = await openList('op=InsertEntity');
    const request = await openLine(page, 'InsertEntity');
    const sent = request.getByRole('region', { name: 'Sent' });
    await sent.getByText('  "A": "9007199254740993"').waitFor();
    await sent.getByText(/^\d+ headers$/).click();
    await sent.getByText('authorization').locator('..').getByText('…').waitFor();
    const answered = request.getByRole('region', { name: 'Answered' });
    await answered.getByText(/^\d+ headers$/).click();
    await answered.getByText('x-ms-request-id').waitFor();
    expect(await request.textContent()).not.toContain('SharedKey devstoreaccount1:');
  });

  it('has a transaction as its operations', async () => {
    const parts = ['t1', 't2'].map((RowKey) => insert('People', { PartitionKey: 'p', RowKey }));
    const headers = { 'Content-Type': `multipart/mixed; boundary=${batchBoundary}` };
    await client.post('/$batch', writeChangeSet(parts), { headers });
    const page = await openList('text=batch');
    const request = await openLine(page, '202');
    const lines = request.getByRole('region', { name: 'Sent' }).locator('pre b');
    await lines.nth(1).waitFor();
    expect(await lines.allTextContents()).toEqual(
      Array(2).fill(expect.stringMatching(/^POST \S+People HTTP\/1\.1\n$/)),
    );
    const body = await request.getByRole('region', { name: 'Sent' }).locator('pre').textContent();
    expect(body).toContain('{\n  "PartitionKey": "p",\n  "RowKey": "t2"\n}');
    expect(body).not.toContain('--');
  });

  it('is sent again: a read at once', async () => {
    await client.get("/People(PartitionKey='p',RowKey='none')");
    const page = await openList('op=GetEntity');
    const request = await openLine(page, '404');
    await request.getByRole('button', { name: 'Send again' }).click();
    await request.getByRole('heading', { name: '404 ResourceNotFound' }).waitFor();
    await request.getByRole('link', { name: 'The new request' }).click();
    await request.getByText('SAS', { exact: true }).waitFor();
    await request.getByRole('heading', { name: '404 GetEntity' }).waitFor();
  });

  it('is sent again: a write after a question, with its body and its If-Match', async () => {
    const sent = { PartitionKey: 'p', RowKey: 'again', A: 1 };
    await client.post('/People', sent);
    const path = "/People(PartitionKey='p',RowKey='again')";
    await client.put(path, { ...sent, A: 2 }, { ifMatch: '*' });
    await client.put(path, { ...sent, A: 3 }, { ifMatch: '*' });
    const page = await openList('op=UpdateEntity');
    await linesOf(page).nth(1).waitFor();
    await linesOf(page).last().click();
    const request = requestOf(page);
    await request.getByText('"A": 2').waitFor();
    await request.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(JSON.parse((await client.get(path)).body).A).toBe(3);
    await request.getByRole('button', { name: 'Send again' }).click();
    await confirm(page);
    await request.getByRole('heading', { name: '204 No Content' }).waitFor();
    expect(JSON.parse((await client.get(path)).body).A).toBe(2);
  });

  it('is not sent again if it is a write whose body is kept in part', async () => {
    const headers = { 'User-Agent': 'long-writer' };
    await client.post('/People', { PartitionKey: 'p', RowKey: 'long', A: 'x'.repeat(20_000) }, { headers });
    const page = await openList('text=long-writer');
    const request = await openLine(page, '201');
    await request.getByRole('button', { name: 'Send again', disabled: true }).waitFor();
  });

  it('lists the tries of its client', async () => {
    const headers = { 'x-ms-client-request-id': 'one-of-two' };
    await client.get('/People()', { headers });
    await client.get("/People(PartitionKey='p',RowKey='none')", { headers });
    const page = await openList('text=one-of-two&status=4xx');
    const request = await openLine(page, '404');
    await request.getByRole('link', { name: 'List the 2 tries of the client' }).click();
    await linesOf(page, '200').click();
    await request.getByRole('heading', { name: '200 QueryEntities' }).waitFor();
    expect(await linesOf(page).count()).toBe(2);
  });
});
