import { expect, it } from 'vitest';
import { insertAll } from '../support/bodies/insert-all.js';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

const widths = [390, 800, 1280];

describeExplorer('An entity that is edited', ({ open, hashOf, withTable }) => {
  it.each(['Escape', 'Close'])('stays a draft after %s, until it is taken back', async (way) => {
    const table = await withTable(`Kept${way}`);
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'Ada' });
    const page = await open(hashOf(`Kept${way}`));
    await rowOf(page, 0).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'Entity', exact: true });
    const leave = async () => {
      if (way === 'Escape') await panel.getByLabel('Value of Name').press('Escape');
      else await panel.getByRole('button', { name: way }).click();
      await panel.waitFor({ state: 'detached' });
    };
    await panel.getByLabel('Value of Name').fill('Grace');
    await leave();
    await page.getByRole('link', { name: `Kept${way} p / r` }).click();
    expect(await panel.getByLabel('Value of Name').inputValue()).toBe('Grace');
    await panel.getByRole('button', { name: 'Take back' }).click();
    await panel.waitFor({ state: 'detached' });
    expect(await page.getByText('Not saved').count()).toBe(0);

    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    expect(await panel.getByLabel('Value of Name').inputValue()).toBe('Ada');
    expect(await panel.getByRole('button', { name: 'Take back' }).count()).toBe(0);
    await leave();
    expect(await page.getByText('Not saved').count()).toBe(0);
  });

  it('leaves the keys of an input method to it', async () => {
    const table = await withTable('Composed');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'Ada' });
    const page = await open(hashOf('Composed'));
    await rowOf(page, 0).getByText('Ada').dblclick();
    const field = page.getByRole('textbox', { name: 'Name, String' });
    await field.fill('か');
    // Enter takes the composed text, and Escape the composition back; neither is for the cell.
    for (const key of ['Enter', 'Escape']) await field.dispatchEvent('keydown', { key, isComposing: true });
    expect(await field.inputValue()).toBe('か');
    await field.press('Enter');
    await field.waitFor({ state: 'detached' });
    expect(await rowOf(page, 0).getByText('か').count()).toBe(1);
  });

  it('gets a new property by its name alone, which is kept as it is typed', async () => {
    await withTable('Added');
    const page = await open(hashOf('Added'));
    await page.getByRole('button', { name: 'Insert an entity' }).click();
    page.on('dialog', (dialog) => dialog.accept());
    const name = page.getByLabel('Name of a new property');
    await name.fill('2');
    await name.press('Tab');
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await page.reload();
    await expect.poll(() => name.inputValue()).toBe('2');
    await name.fill('Two');
    await name.press('Tab');
    expect(await page.getByLabel('Value of Two').and(page.locator(':focus')).count()).toBe(1);
    expect(await name.inputValue()).toBe('');
  });

  it('leaves the focus in the grid after the first insert into a table', async () => {
    await withTable('Focused');
    const page = await open(hashOf('Focused'));
    await page.getByRole('button', { name: 'Insert an entity' }).click();
    await page.getByRole('region', { name: 'New entity' }).getByLabel('RowKey').fill('r');
    await page.keyboard.press('Control+Enter');
    await rowOf(page, 0).waitFor();
    await expect.poll(() => page.locator('[role=grid]:focus').count()).toBe(1);
  });

  it(`has its buttons beside notices, not below them, at ${widths} px`, async () => {
    const table = await withTable('Noticed');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'Ada' });
    const page = await open(hashOf('Noticed'));
    await rowOf(page, 0).waitFor();
    await page.route(/Merge|MERGE|\(PartitionKey/, (route) =>
      route.request().method() === 'GET' ? route.continue() : route.abort(),
    );
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Value of Name').fill('Grace');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      // A click on what a notice covers would time out.
      await page.getByRole('button', { name: 'Save' }).click({ trial: true });
      await page.getByRole('button', { name: 'Take back' }).click({ trial: true });
    }

    await page.evaluate(`location.hash = location.hash.replace('/data/', '/requests/')`);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});

describeExplorer('The rows of a range', ({ open, hashOf, withTable }) => {
  it('are deleted by Delete or the menu, after a question', async () => {
    const table = await withTable('Some');
    await insertAll(
      table,
      ['a', 'b', 'c', 'd'].map((rowKey) => ({ partitionKey: 'p', rowKey })),
    );
    const page = await open(hashOf('Some'));
    await rowOf(page, 3).waitFor();
    await rowOf(page, 1).getByText('b', { exact: true }).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Delete 2 entities' }).click();
    await rowOf(page, 2).waitFor({ state: 'detached' });
    expect(await rowOf(page, 1).textContent()).toContain('d');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Delete 2 rows…' }).click();
    await page.getByRole('button', { name: 'Delete 2 entities' }).click();
    await page.getByText('This table is empty').waitFor();
  });
});

describeExplorer('A table that is opened', ({ open, hashOf, withTable }) => {
  it('is not called a mistake because all of it is read', async () => {
    await withTable('Opened');
    const page = await open(hashOf('Opened'));
    const cost = page.getByRole('region', { name: 'Cost of the query' });
    await cost.getByText('Whole table', { exact: true }).waitFor();
    expect(await cost.locator('.mark.bad').count()).toBe(0);
  });
});
