import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { insertAll } from '../support/bodies/insert-all.js';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

describeExplorer('The page of a server that asks for a token', ({ openAt }) => {
  const start = () => startTabularium({ admin: 'token', adminToken: 'all', adminReadToken: 'some' });

  it('opens for an address whose token cannot be decoded', async () => {
    const tabularium = await start();
    const page = await openAt(tabularium.url, '#token=%');
    await page.getByLabel('Token').waitFor();
    await tabularium.close();
  });

  it('takes the token from its address, and asks for it otherwise', async () => {
    await using tabularium = await start();
    const page = await openAt(tabularium.url, '#token=all');
    await page.getByText('This account has no tables').waitFor();
    expect(page.url()).not.toContain('token');

    const other = await openAt(tabularium.url, '');
    await other.getByText('This server requires a token').waitFor();
    await other.getByLabel('Token').fill('all');
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.getByText('This account has no tables').waitFor();
  });

  it('has nothing that changes anything, with a token that only reads', async () => {
    await using tabularium = await start();
    const { TableClient } = await import('@azure/data-tables');
    const table = TableClient.fromConnectionString(tabularium.connectionString, 'Shown', {
      allowInsecureConnection: true,
    });
    await table.createTable();
    await insertAll(table, [{ partitionKey: 'p', rowKey: 'r', Name: 'Ada' }]);
    const page = await openAt(tabularium.url, '#token=some');
    await page.getByRole('link', { name: /^Shown/ }).click();
    await rowOf(page, 0).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Entity', exact: true }).waitFor();

    const buttons = await page.getByRole('button').allInnerTexts();
    const labels = await page.locator('button[aria-label]').evaluateAll((all) => all.map((one) => one.ariaLabel));
    const changing = /new|insert|create|delete|import|save|remove|edit|load from|restore|take back/i;
    expect([...buttons, ...labels].filter((text) => changing.test(text ?? ''))).toEqual([]);
    expect(await page.getByLabel('Value of Name').getAttribute('readonly')).toBe('');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    expect(await page.getByLabel('Entity as JSON').getAttribute('readonly')).toBe('');
    await page.getByText('read only').waitFor();
  });
});
