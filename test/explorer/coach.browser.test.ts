import { expect, it } from 'vitest';
import { sdkClients } from '../support/clients/sdk-clients.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { requestOf } from '../support/pages/request-lines.js';

describeExplorer('The tab Coach', (explorer) => {
  it('shows a finding with what to send instead, and leads to the query and the request', async () => {
    const clients = sdkClients(explorer.service, 'path');
    const table = clients.table('people');
    await table.createTable();
    await table.createEntity({ partitionKey: 'a', rowKey: 'r' });
    const filter = "PartitionKey eq 'a' or PartitionKey eq 'b'";
    for await (const _ of table.listEntities({ queryOptions: { filter } }));
    clients.close();

    const page = await explorer.open(`/${explorer.service.account.name}/coach`);
    const finding = page.getByRole('region', { name: /^table-scan\/or-keys: / });
    await finding.waitFor();
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

  it('lists queries by what they read, and begins again', async () => {
    const page = await explorer.open(`/${explorer.service.account.name}/coach`);
    await page.locator('.query-table tbody tr', { hasText: 'people' }).waitFor();
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByText('No requests yet').waitFor();
    expect(await page.locator('.query-table').count()).toBe(0);
  });
});
