import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { rowOf, writeFilter } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

const nameField = (page: Page) => page.getByLabel('Value of Name');

async function openFirst(page: Page): Promise<void> {
  await rowOf(page, 0).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await nameField(page).waitFor();
}

/** Holds the writes of the page to entities of a table until the returned function is called. */
async function holdWrites(page: Page, table: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(new RegExp(`${table}\\(PartitionKey`), async (route) => {
    if (route.request().method() !== 'GET') await held;
    await route.continue();
  });
  return release;
}

const row = { partitionKey: 'p', rowKey: 'r' };

describeExplorer('Typed text', ({ open, hashOf, withTable, client }) => {
  it('stays through another table, another tab, Back and a reload, and is saved where it belongs', async () => {
    const table = await withTable('People');
    await table.createEntity({ ...row, Name: 'Ada', Born: 1815 });
    await withTable('Other');
    const page = await open(hashOf('People'));
    page.on('dialog', (dialog) => dialog.accept());
    await openFirst(page);
    await nameField(page).fill('Grace');

    await page.getByRole('link', { name: /^Other/ }).click();
    await page.getByRole('heading', { name: 'Other', level: 1 }).waitFor();
    expect(await nameField(page).count()).toBe(0);
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.locator('#content[data-tab=requests] > *').first().waitFor();
    await page.goBack();
    await page.reload();
    await page.getByRole('link', { name: 'People p / r' }).click();
    expect(await nameField(page).inputValue()).toBe('Grace');

    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved.').first().waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Grace', Born: 1815 });
    await expect.poll(() => page.getByText('Not saved').count()).toBe(0);
  });

  it('of a new entity is inserted into the table in which it was typed', async () => {
    const first = await withTable('First');
    await withTable('Second');
    const page = await open(hashOf('First'));
    await page.getByRole('button', { name: 'Insert an entity' }).click();
    const panel = page.getByRole('region', { name: 'New entity' });
    await panel.getByRole('heading', { name: 'New entity in First' }).waitFor();
    await panel.getByLabel('RowKey').fill('r');

    await page.getByRole('link', { name: /^Second/ }).click();
    await page.getByRole('heading', { name: 'Second', level: 1 }).waitFor();
    expect(await panel.count()).toBe(0);

    await page.getByRole('link', { name: 'First new entity' }).click();
    await panel.getByRole('button', { name: 'Insert' }).click();
    await page.getByText('Inserted.').first().waitFor();
    expect(await first.getEntity('', 'r')).toMatchObject({ rowKey: 'r' });
    expect(JSON.parse((await client.get('/Second()')).body).value).toEqual([]);
  });

  it('is written without the properties that it does not change, onto the change of a program', async () => {
    const table = await withTable('Merged');
    await table.createEntity({ ...row, Name: 'Ada', Born: 1815 });
    const page = await open(hashOf('Merged'));
    await openFirst(page);
    await nameField(page).fill('Grace');
    await table.updateEntity({ ...row, Born: 4242 }, 'Merge');

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Grace', Born: 4242 });
  });

  it('is inserted again after a program has deleted its entity', async () => {
    const table = await withTable('Gone');
    await table.createEntity({ ...row, Name: 'Ada' });
    const page = await open(hashOf('Gone'));
    await openFirst(page);
    await nameField(page).fill('Grace');
    await table.deleteEntity('p', 'r');

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Insert mine again' }).click();
    await page.getByText('Inserted.').first().waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Grace' });
  });

  it('while a save runs stays a draft, which the next save writes', async () => {
    const table = await withTable('Slow');
    await table.createEntity({ ...row, Name: 'Ada' });
    const page = await open(hashOf('Slow'));
    await openFirst(page);
    const release = await holdWrites(page, 'Slow');
    await nameField(page).fill('Grace');
    await page.keyboard.press('Control+Enter');
    await nameField(page).fill('Grace Hopper');
    release();
    await page.getByText('Saved.').first().waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Grace' });
    expect(await nameField(page).inputValue()).toBe('Grace Hopper');

    await page.getByRole('button', { name: 'Save' }).click();
    await nameField(page).waitFor({ state: 'detached' });
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Grace Hopper' });
  });

  it('while a save runs stays a draft when the panel is closed meanwhile', async () => {
    const table = await withTable('Closed');
    await table.createEntity({ ...row, Name: 'Ada' });
    const page = await open(hashOf('Closed'));
    await openFirst(page);
    const release = await holdWrites(page, 'Closed');
    await nameField(page).fill('Grace');
    await page.keyboard.press('Control+Enter');
    await nameField(page).fill('Grace Hopper');
    await nameField(page).press('Escape');
    release();
    await page.getByText('Saved.').first().waitFor();
    await page.getByRole('link', { name: 'Closed p / r' }).click();
    expect(await nameField(page).inputValue()).toBe('Grace Hopper');
  });

  it('while a save runs does not overwrite what a program has written to the same property', async () => {
    const table = await withTable('Both');
    await table.createEntity({ ...row, Name: 'Ada', Born: 1815 });
    const page = await open(hashOf('Both'));
    await openFirst(page);
    const release = await holdWrites(page, 'Both');
    await nameField(page).fill('Grace');
    await page.keyboard.press('Control+Enter');
    await page.getByLabel('Value of Born').fill('1906');
    await table.updateEntity({ ...row, Born: 4242 }, 'Merge');
    release();
    await page.getByText('Saved.').first().waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert', { name: 'Conflict' }).waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Grace', Born: 4242 });
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(async () => (await table.getEntity('p', 'r'))['Born']).toBe(1906);
  });

  it('of several new entities stays apart, also from one that is inserted meanwhile', async () => {
    const table = await withTable('News');
    const page = await open(hashOf('News'));
    await page.getByRole('button', { name: 'Insert an entity' }).click();
    const panel = page.getByRole('region', { name: 'New entity' });
    await panel.getByLabel('PartitionKey').fill('first');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New entity' }).click();
    await panel.getByLabel('PartitionKey').fill('second');
    await panel.getByLabel('RowKey').fill('r');
    expect(await page.getByRole('link', { name: 'News new entity' }).count()).toBe(2);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Inserted.').first().waitFor();
    expect(await table.getEntity('second', 'r')).toMatchObject({ rowKey: 'r' });
    await page.getByRole('link', { name: 'News new entity' }).click();
    expect(await panel.getByLabel('PartitionKey').inputValue()).toBe('first');
  });

  it('that is not valid is not saved by the keyboard either', async () => {
    const table = await withTable('Invalid');
    await table.createEntity({ ...row, Name: 'Ada' });
    const page = await open(hashOf('Invalid'));
    await openFirst(page);
    await page.getByLabel('Name of a new property').fill('Name');
    await page.keyboard.press('Control+Enter');
    await page.getByText('This name is already used.').first().waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Ada' });
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });

  it('keeps its line breaks, and its value under a wrong type', async () => {
    const table = await withTable('Breaks');
    await table.createEntity({ ...row, Name: 'one\r\ntwo', Size: 'Name 2' });
    const page = await open(hashOf('Breaks'));
    await openFirst(page);
    await nameField(page).press('Control+End');
    await page.keyboard.type('!');
    const size = page.getByLabel('Value of Size');
    for (const type of ['Edm.Int32', 'Edm.Boolean', 'Edm.String']) {
      await page.getByLabel('Type of Size').selectOption(type);
      expect(await size.inputValue()).toBe('Name 2');
    }
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'one\r\ntwo!', Size: 'Name 2' });
  });

  it('of a filter and of $select runs together, and stays while the user looks at another tab', async () => {
    const table = await withTable('Filtered');
    await table.createEntity({ ...row, Name: 'Ada', Born: 1815 });
    const page = await open(hashOf('Filtered'));
    await rowOf(page, 0).waitFor();
    await writeFilter(page, 'Born gt 18');
    const select = page.getByLabel('$select: the properties');
    await select.fill('Name');
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.locator('#content[data-tab=requests] > *').first().waitFor();
    await page.getByRole('link', { name: 'Data' }).click();
    const filter = page.getByRole('combobox', { name: '$filter' });
    await expect.poll(() => filter.inputValue()).toBe('Born gt 18');
    expect(await select.inputValue()).toBe('Name');

    await filter.press('Enter');
    await expect.poll(() => page.url()).toContain('filter=Born+gt+18&select=Name');
  });
});

describeExplorer('An address', ({ open }) => {
  it('of an account that has ended shows no other account', async () => {
    const page = await open('/gone/data/People');
    await page.getByRole('heading', { name: 'There is no account gone' }).waitFor();
    expect(await page.getByRole('grid').count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: developmentAccount.name }).click();
    await page.getByText('This account has no tables').waitFor();
  });
});
