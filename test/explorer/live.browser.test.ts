import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { readRow, rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { linesOf } from '../support/pages/request-lines.js';
import { freePort } from '../support/programs/free-port.mjs';

describeExplorer('The page follows', ({ open, openAt, hashOf, withTable, client }) => {
  it('a server that ends and comes back, with one mark, and its table list', async () => {
    const port = await freePort();
    let server = await startTabularium({ port });
    try {
      const page = await openAt(server.url, '#/devstoreaccount1/data');
      const mark = page.getByRole('banner').locator('.mark');
      await mark.getByText('● Live', { exact: true }).waitFor();
      await page.getByText('This account has no tables').waitFor();
      await server.close();
      await mark.getByText('Retrying').waitFor();
      await page.getByText('Not connected since').waitFor();
      server = await startTabularium({ port });
      const options = { allowInsecureConnection: true };
      await TableClient.fromConnectionString(server.connectionString, 'Back', options).createTable();
      await mark.getByText('● Live', { exact: true }).waitFor();
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
    const lines = linesOf(page);
    await lines.nth(1).click();
    await table.createEntity({ partitionKey: 'p', rowKey: '3' });
    await page.getByRole('button', { name: '1 new ↑' }).click();
    await expect.poll(() => lines.count()).toBe(3);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await table.createEntity({ partitionKey: 'p', rowKey: '4' });
    await expect.poll(() => lines.count()).toBe(4);
  });
});

describeExplorer('The rows of the page', ({ open, openAt, hashOf, withTable }) => {
  const news = (page: Page, text: string) => page.getByRole('button', { name: `${text} ↻`, exact: true });
  const withRows = async (name: string, count: number) => {
    const table = await withTable(name);
    for (let from = 0; from < count; from += 100) {
      const rows = Array.from({ length: Math.min(100, count - from) }, (_, at) => String(from + at).padStart(4, '0'));
      await table.submitTransaction(
        rows.map((rowKey) => ['create', { partitionKey: 'p', rowKey, Size: 1 }] as const) as never,
      );
    }
    return table;
  };

  it('change in place, with a mark for a while; what is new or deleted waits until the user takes it', async () => {
    const table = await withRows('Followed', 5);
    const page = await open(hashOf('Followed'));
    await rowOf(page, 4).waitFor();
    await table.updateEntity({ partitionKey: 'p', rowKey: '0002', Size: 7 }, 'Merge');
    const changed = rowOf(page, 2).locator('.cell.flash', { hasText: '7' });
    await changed.waitFor();
    await changed.waitFor({ state: 'detached' });
    await table.createEntity({ partitionKey: 'p', rowKey: '0001a', Size: 2 });
    await news(page, '1 new').waitFor();
    await table.deleteEntity('p', '0003');
    await news(page, '1 new, 1 deleted').waitFor();
    await page.locator('.row.gone', { hasText: '0003' }).waitFor();
    expect((await readRow(page, 2))['RowKey']).toBe('0002');
    await table.upsertEntity({ partitionKey: 'p', rowKey: '0003', Size: 3 }, 'Replace');
    await news(page, '1 new').click();
    await expect.poll(async () => (await readRow(page, 2))['RowKey']).toBe('0001a');
    await news(page, '1 new').waitFor({ state: 'detached' });
    expect(await readRow(page, 4)).toMatchObject({ RowKey: '0003', Size: '3' });
  });

  it('are sorted again when the user takes as many new rows as deleted ones', async () => {
    const table = await withRows('SortedAgain', 3);
    const page = await open(hashOf('SortedAgain', '?sort=-RowKey'));
    await expect.poll(async () => (await readRow(page, 0))['RowKey']).toBe('0002');
    await table.deleteEntity('p', '0001');
    await table.createEntity({ partitionKey: 'p', rowKey: '0000a', Size: 2 });
    await news(page, '1 new, 1 deleted').click();
    await expect
      .poll(async () => Promise.all([0, 1, 2].map(async (row) => (await readRow(page, row))['RowKey'])))
      .toEqual(['0002', '0000a', '0000']);
  });

  it('count only what the filter finds', async () => {
    const table = await withRows('Filtered', 2);
    const page = await open(hashOf('Filtered', '?filter=Size+eq+1'));
    await rowOf(page, 1).waitFor();
    await table.createEntity({ partitionKey: 'p', rowKey: 'other', Size: 2 });
    await table.createEntity({ partitionKey: 'p', rowKey: 'own', Size: 1 });
    await news(page, '1 new').click();
    await rowOf(page, 2).waitFor();
    await news(page, '1 new').waitFor({ state: 'detached' });
    expect((await readRow(page, 2))['RowKey']).toBe('own');
    await table.updateEntity({ partitionKey: 'p', rowKey: 'own', Size: 2 }, 'Merge');
    await news(page, '1 no longer found').waitFor();
  });

  it('are compared with those of a server that comes back, and stay meanwhile', async () => {
    const location = await mkdtemp(join(tmpdir(), 'tabularium-live-'));
    const port = await freePort();
    const start = () => startTabularium({ port, location });
    let server = await start();
    const tableOf = () =>
      TableClient.fromConnectionString(server.connectionString, 'Kept', { allowInsecureConnection: true });
    try {
      await tableOf().createTable();
      for (const rowKey of ['a', 'b']) await tableOf().createEntity({ partitionKey: 'p', rowKey, Size: 1 });
      const page = await openAt(server.url, '#/devstoreaccount1/data/Kept');
      await rowOf(page, 1).waitFor();
      await server.close();
      await page.getByText('Not connected since').waitFor();
      expect((await readRow(page, 0))['RowKey']).toBe('a');
      server = await start();
      await tableOf().updateEntity({ partitionKey: 'p', rowKey: 'a', Size: 9 }, 'Merge');
      await tableOf().deleteEntity('p', 'b');
      await expect.poll(async () => (await readRow(page, 0))['Size']).toBe('9');
      await news(page, '1 deleted').waitFor();
    } finally {
      await server.close();
      await rm(location, { recursive: true });
    }
  });

  it('leave a draft its values, and give the panel those of the others', async () => {
    const table = await withRows('Drafted', 2);
    const page = await open(hashOf('Drafted'));
    await rowOf(page, 0).locator('.cell').nth(1).dblclick();
    await page.getByLabel('Value of Size', { exact: true }).fill('5');
    await table.updateEntity({ partitionKey: 'p', rowKey: '0000', Name: 'theirs' }, 'Merge');
    await page.getByLabel('Value of Name', { exact: true }).waitFor();
    expect(await page.getByLabel('Value of Size', { exact: true }).inputValue()).toBe('5');
    expect(await page.getByLabel('Value of Name', { exact: true }).inputValue()).toBe('theirs');
  });

  it('stay where they are when the page itself deletes or inserts one', async () => {
    await withRows('Long', 1200);
    const page = await open(hashOf('Long'));
    const grid = page.getByRole('grid');
    await rowOf(page, 5).waitFor();
    await grid.evaluate((element) => element.scrollTo(0, 20_000));
    await rowOf(page, 780).waitFor();
    const scrolled = await grid.evaluate(({ scrollTop }) => scrollTop);
    const { RowKey } = await readRow(page, 780);
    await rowOf(page, 780).locator('.cell').nth(1).click();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Delete 1 entity' }).click();
    await expect.poll(async () => (await readRow(page, 780))['RowKey']).toBe('0781');
    expect([RowKey, await grid.evaluate(({ scrollTop }) => scrollTop)]).toEqual(['0780', scrolled]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await readRow(page, 780))['RowKey']).toBe('0780');
    expect(await grid.evaluate(({ scrollTop }) => scrollTop)).toBe(scrolled);
    await page.getByRole('button', { name: 'New entity' }).click();
    await page.getByRole('region', { name: 'New entity' }).getByLabel('RowKey').fill('0779a');
    await page.getByRole('button', { name: 'Insert', exact: true }).click();
    await rowOf(page, 780).locator('.cell.flash', { hasText: '0779a' }).waitFor();
    expect(await grid.evaluate(({ scrollTop }) => scrollTop)).toBe(scrolled);
  });
});
