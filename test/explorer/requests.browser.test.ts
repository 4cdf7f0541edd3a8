import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { sdkClients, sdkRejection } from '../support/clients/sdk-clients.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

/** A key that was not decoded from base64 before signing: the most frequent mistake. */
const keyAsText = (key: string) => Buffer.from(key).toString('base64');

describeExplorer('The tab Requests', (explorer) => {
  const clientsOf = () => sdkClients(explorer.service, 'path');
  const linesOf = (page: Awaited<ReturnType<typeof explorer.open>>, text: string | RegExp) =>
    page.locator('.requests tbody tr', { hasText: text });

  it('shows a request as it comes, and why it was rejected', async () => {
    const page = await explorer.open(`/${explorer.service.account.name}/requests`);
    await page.getByText('No requests yet').waitFor();

    const { name, keys } = explorer.service.account;
    const credential = new AzureNamedKeyCredential(name, keyAsText(keys[0] ?? ''));
    const client = new TableClient(explorer.service.base, 'orders', credential, {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
    expect(await sdkRejection(client.getEntity('p', 'r'))).toMatchObject({ statusCode: 403 });

    const line = linesOf(page, 'key-as-text');
    await line.waitFor();
    expect(await line.locator('.mark.bad').textContent()).toBe('403');
    await line.getByRole('button').click();
    const reason = page.getByRole('region', { name: 'Why it was rejected' });
    await reason.getByText('base64').first().waitFor();
    expect(await page.locator('body').textContent()).not.toContain(keys[0]);
  });

  it('shows many like requests as one line, and leaves out those of the page', async () => {
    const clients = clientsOf();
    const table = clients.table('readings');
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    for (let at = 0; at < 25; at++) await table.getEntity('p', 'r');
    clients.close();

    const page = await explorer.open(`/${explorer.service.account.name}/requests?table=readings`);
    const line = linesOf(page, 'GetEntity');
    await line.getByText('×25').waitFor();
    expect(await line.count()).toBe(1);
    expect(await line.locator('.number').first().textContent()).toBe('25 / 25');
    await linesOf(page, 'InsertEntity').waitFor();
    expect(await linesOf(page, 'this page').count()).toBe(0);
  });

  it('narrows the list by status and text, and keeps that in the address', async () => {
    const clients = clientsOf();
    const table = clients.table('narrowed');
    await table.createTable();
    expect(await sdkRejection(table.getEntity('p', 'missing-one'))).toMatchObject({ statusCode: 404 });
    clients.close();

    const page = await explorer.open(`/${explorer.service.account.name}/requests`);
    await linesOf(page, 'narrowed').first().waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('4xx');
    await page.getByLabel('Text', { exact: true }).fill('missing-one');
    await page.waitForFunction('document.querySelectorAll(".requests tbody tr").length === 1');
    expect(new URL(page.url()).hash).toContain('status=4xx&text=missing-one');

    await page.reload();
    await linesOf(page, '404').waitFor();
    expect(await page.locator('.requests tbody tr').count()).toBe(1);
  });

  it('leads from a query to the tab Data with its filter', async () => {
    const clients = clientsOf();
    const table = clients.table('opened');
    await table.createTable();
    for await (const _ of table.listEntities({ queryOptions: { filter: "Name eq 'O''Hara'" } }));
    clients.close();

    const page = await explorer.open(`/${explorer.service.account.name}/requests?table=opened&class=table-scan`);
    await linesOf(page, 'table scan').getByRole('button').click();
    await page.getByRole('link', { name: 'Open this query' }).click();
    await page.locator('#content[data-tab=data]').waitFor();
    const [path, query] = new URL(page.url()).hash.split('?');
    expect(path).toBe(`#/${explorer.service.account.name}/data/opened`);
    expect(new URLSearchParams(query).get('filter')).toBe("Name eq 'O''Hara'");
  });
});
