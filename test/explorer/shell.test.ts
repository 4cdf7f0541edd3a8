import { expect, it } from 'vitest';
import { describeExplorer } from '../support/explorer-page.js';

describeExplorer('The page for browsers', ({ open }) => {
  it('shows its tabs, and goes to them by links, keys and the palette', async () => {
    const page = await open();
    const current = () => page.locator('.tabs [aria-current]').textContent();
    await page.locator('#content[data-tab=data]').waitFor();

    await page.getByRole('link', { name: 'Coach' }).click();
    expect(await current()).toBe('Coach');

    await page.keyboard.press('g');
    await page.keyboard.press('s');
    expect(await current()).toBe('State');

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search tables and actions' }).fill('connect');
    await page.keyboard.press('Enter');
    expect(await current()).toBe('Connect');

    await page.goBack();
    expect(await current()).toBe('State');
  });

  it('opens with its defaults when the browser has stored nonsense', async () => {
    const page = await open();
    await page.evaluate(`
      for (const name of ['theme', 'columns', 'queries']) localStorage.setItem('tabularium.' + name, '{"nonsense":[');
      localStorage.setItem('tabularium.theme', '"no such theme"');
    `);
    await page.reload();
    await page.locator('#content').waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('auto');
  });
});
