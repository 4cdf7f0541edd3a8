import { expect, it } from 'vitest';
import { describeExplorer } from '../support/pages/explorer-page.js';

describeExplorer('The page for browsers', ({ open, hashOf, withTable }) => {
  it('shows its tabs, and goes to them by links, keys and the palette', async () => {
    const page = await open();
    const shows = (tab: string) => page.locator('.tabs [aria-current]', { hasText: tab }).waitFor();
    await page.locator('#content[data-tab=data]').waitFor();

    await page.getByRole('link', { name: 'Coach' }).click();
    await shows('Coach');

    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await shows('State');

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search tables and actions' }).fill('connect');
    await page.keyboard.press('Enter');
    await shows('Connect');

    await page.goBack();
    await shows('State');
  });

  it('finds in the palette what can be done with the table that is shown', async () => {
    const table = await withTable('Commanded');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Size: 1 });
    const page = await open(hashOf('Commanded', `?filter=${encodeURIComponent('Size eq 1')}`));
    await page.getByRole('button', { name: 'New entity' }).waitFor();
    const palette = page.getByRole('dialog', { name: 'Search tables and actions' });
    const find = async (words: string) => {
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').fill(words);
    };
    const run = async (words: string) => {
      await find(words);
      await page.keyboard.press('Enter');
      await palette.waitFor({ state: 'detached' });
    };
    for (const [words, title] of [
      ['import', 'Import into the table'],
      ['delete table', 'Delete the table'],
      ['create table', 'Create a table'],
    ] as const) {
      await run(words);
      await page.getByRole('dialog', { name: title }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const downloading = page.waitForEvent('download');
    await run('export this query csv');
    expect((await downloading).suggestedFilename()).toBe('Commanded.csv');
    await find('copy as');
    await page.waitForFunction(`document.querySelectorAll('.palette [role=option]').length === 7`);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await run('new entity');
    await page.getByRole('region', { name: 'New entity' }).waitFor();

    // What belongs to Data is not offered elsewhere.
    await page.getByRole('link', { name: 'Coach' }).click();
    await page.locator('#content[data-tab=coach]').waitFor();
    await find('import');
    await palette.getByText('No matches.').waitFor();
  });

  it('opens with its defaults when the browser has stored nonsense', async () => {
    const page = await open();
    await page.evaluate(`
      for (const name of ['theme', 'columns']) localStorage.setItem('tabularium.' + name, '{"nonsense":[');
      localStorage.setItem('tabularium.theme', '"no such theme"');
    `);
    await page.reload();
    await page.locator('#content').waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('auto');
  });
});
