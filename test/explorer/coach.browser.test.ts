import { TableClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { sdkClients } from '../support/clients/sdk-clients.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { requestOf } from '../support/pages/request-lines.js';

describeExplorer('The tab Coach', (explorer) => {
  it('shows a finding with what to send instead, and leads to the query and the request', async () => {
    const clients = sdkClients(explorer.service, 'path');
    const table = clients.table('People');
    await table.createTable();
    await table.createEntity({ partitionKey: 'a', rowKey: 'r' });
    const filter = "PartitionKey eq 'a' or PartitionKey eq 'b'";
    for await (const _ of table.listEntities({ queryOptions: { filter } }));
    clients.close();

    const page = await explorer.open(`/${explorer.service.account.name}/coach`);
    const finding = page.getByRole('region', { name: 'Finding', exact: true });
    await finding.getByText('table-scan/or-keys').waitFor();
    expect(await finding.locator('.rewritten a').allTextContents()).toEqual([
      "PartitionKey eq 'a'",
      "PartitionKey eq 'b'",
    ]);

    await finding.getByRole('link', { name: 'First request' }).click();
    await requestOf(page).getByText('table scan').waitFor();
    await page.goBack();

    await finding.getByRole('link', { name: 'Open the query' }).click();
    await page.locator('#content[data-tab=data]').waitFor();
    expect(new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('filter')).toBe(filter);
  });

  it('lists queries by what they read, without their table twice, and begins again', async () => {
    const page = await explorer.open(`/${explorer.service.account.name}/coach`);
    const line = page.locator('.query-table tbody tr', { hasText: 'People' }).first();
    await line.waitFor();
    const [table, query] = await line.locator('td').allTextContents();
    expect([table, query]).toEqual(['People', expect.stringMatching(/^(?!people )./i)]);
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByText('No requests yet').waitFor();
    expect(await page.locator('.query-table').count()).toBe(0);
  });

  it('opens each finding of a list beside it, by an address, and says that its request has left the journal', async () => {
    await using server = await startTabularium({ journal: 1 });
    for (const name of ['First', 'Second']) {
      const table = TableClient.fromConnectionString(server.connectionString, name, { allowInsecureConnection: true });
      await table.createTable();
      for (const rowKey of ['1', '2']) await table.createEntity({ partitionKey: rowKey, rowKey, size: 1 });
      const filter = "PartitionKey eq '1' or PartitionKey eq '2'";
      for await (const _ of table.listEntities({ queryOptions: { filter } }));
    }
    const page = await explorer.openAt(server.url, '#/devstoreaccount1/coach');
    const list = page.getByRole('list', { name: 'Findings' });
    await list.getByRole('link').nth(1).click();
    const finding = page.getByRole('region', { name: 'Finding', exact: true });
    await finding.locator('p.line').getByText('Second', { exact: true }).waitFor();
    expect(await list.locator('[aria-current]').count()).toBe(1);
    // No two landmarks have one name.
    const names = await page
      .locator('section[aria-label], nav[aria-label]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(new Set(names).size).toBe(names.length);
    await finding.getByRole('link', { name: 'First request' }).waitFor();

    await page.reload();
    await finding.locator('p.line').getByText('Second', { exact: true }).waitFor();
    await list.getByRole('link').first().click();
    await finding.getByText('First request: no longer in the journal').waitFor();
  });
});
