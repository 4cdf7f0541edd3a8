import { it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { freePort } from '../support/programs/free-port.mjs';

describeExplorer('The page follows', ({ open, openAt, hashOf, withTable, client }) => {
  it('a server that ends and comes back, with one mark, and its table list', async () => {
    const port = await freePort();
    let server = await startTabularium({ port });
    try {
      const page = await openAt(server.url, '#/devstoreaccount1/data');
      const mark = page.locator('.connection');
      await mark.getByText('Live', { exact: true }).waitFor();
      await page.getByText('This account has no tables').waitFor();
      await server.close();
      await mark.getByText('Retrying').waitFor();
      await page.getByText('Not connected since').waitFor();
      server = await startTabularium({ port });
      const { TableClient } = await import('@azure/data-tables');
      const options = { allowInsecureConnection: true };
      await TableClient.fromConnectionString(server.connectionString, 'Back', options).createTable();
      await mark.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('link', { name: /^Back/ }).waitFor();
    } finally {
      await server.close();
    }
  });

  it('the numbers of entities, also of writes that do not look', async () => {
    const table = await withTable('Counted');
    const page = await open(hashOf('Counted'));
    const number = page.getByRole('link', { name: /^Counted/ }).locator('.number');
    await number.getByText('0', { exact: true }).waitFor();
    await table.createEntity({ partitionKey: 'p', rowKey: '1' });
    await table.createEntity({ partitionKey: 'p', rowKey: '2' });
    await number.getByText('2', { exact: true }).waitFor();
    await table.upsertEntity({ partitionKey: 'p', rowKey: '3' }, 'Replace');
    await number.getByText('3', { exact: true }).waitFor();
    await table.deleteEntity('p', '1');
    await number.getByText('2', { exact: true }).waitFor();
  });

  it('the state of an account, whose branches come and end', async () => {
    const page = await open(hashOf('x').replace('/data/x', '/data'));
    await page.getByText('This account has no tables').or(page.getByText('Choose a table')).waitFor();
    const { body } = await client.post('/_tabularium/branches', {}, { prefix: '' });
    const { account } = JSON.parse(body) as { readonly account: string };
    const choice = page.getByRole('combobox', { name: 'Account or branch' });
    await choice.locator('option', { hasText: account }).waitFor({ state: 'attached' });
    await client.delete(`/_tabularium/branches/${account}`, { prefix: '' });
    await choice.locator('option', { hasText: account }).waitFor({ state: 'detached' });
  });

  it('requests, which wait while one is read', async () => {
    const table = await withTable('Read');
    for (const rowKey of ['1', '2']) await table.createEntity({ partitionKey: 'p', rowKey });
    const page = await open(hashOf('x').replace('/data/x', '/requests?table=Read&op=InsertEntity'));
    await page.getByText('×2').waitFor();
    const group = page.getByRole('button', { name: /^Details of InsertEntity/ }).first();
    await group.click();
    await table.createEntity({ partitionKey: 'p', rowKey: '3' });
    await page.getByRole('button', { name: '1 new ↑' }).click();
    await page.getByText('×3').waitFor();
    await group.click();
    await table.createEntity({ partitionKey: 'p', rowKey: '4' });
    await page.getByText('×4').waitFor();
  });
});
