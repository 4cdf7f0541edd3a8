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
    await page.getByRole('list', { name: 'Findings' }).locator('summary', { hasText: 'People' }).first().click();
    const finding = page.locator('details[open]');
    await finding.getByText('table-scan/or-keys').waitFor();
    expect(await finding.locator('.reason a').allTextContents()).toEqual([
      "PartitionKey eq 'a'",
      "PartitionKey eq 'b'",
    ]);

    await finding.getByRole('link', { name: 'First request' }).click();
    await requestOf(page).getByText('table-scan', { exact: true }).waitFor();
    await page.goBack();

    await finding.getByRole('link', { name: 'Open the query' }).click();
    await page.locator('#content[data-tab=data]').waitFor();
    expect(new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('filter')).toBe(filter);
  });

  it('lists queries by what they read, without their table twice, and begins again', async () => {
    const page = await explorer.open(`/${explorer.service.account.name}/coach`);
    const queries = page.getByRole('region', { name: 'Queries by entities read' });
    const line = queries.locator('tbody tr', { hasText: 'People' }).first();
    await line.waitFor();
    expect(await line.locator('td').first().textContent()).toMatch(/^People (?!people )./i);
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByText('No requests yet').waitFor();
    expect(await queries.count()).toBe(0);
  });

  it('opens one finding of a list, which the address names', async () => {
    await using server = await startTabularium();
    for (const name of ['First', 'Second']) {
      const table = TableClient.fromConnectionString(server.connectionString, name, { allowInsecureConnection: true });
      await table.createTable();
      for (const rowKey of ['1', '2']) await table.createEntity({ partitionKey: rowKey, rowKey, size: 1 });
      const filter = "PartitionKey eq '1' or PartitionKey eq '2'";
      for await (const _ of table.listEntities({ queryOptions: { filter } }));
    }
    const page = await explorer.openAt(server.url, '#/devstoreaccount1/coach');
    const summaries = page.getByRole('list', { name: 'Findings' }).locator('summary');
    const opened = page.locator('details[open] > summary');
    for (const at of [0, 1]) {
      await summaries.nth(at).click();
      await expect.poll(() => opened.count()).toBe(1);
      const text = (await summaries.nth(at).textContent()) ?? '';
      await expect.poll(() => opened.textContent()).toBe(text);
      await page.reload();
      await expect.poll(() => opened.allTextContents()).toEqual([text]);
    }
    await opened.click();
    await opened.waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).hash).not.toContain('finding');
    // No two landmarks have one name.
    const names = await page
      .locator('section[aria-label], nav[aria-label]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    expect(new Set(names).size).toBe(names.length);
  });
});
