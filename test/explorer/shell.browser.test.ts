import { expect, it } from 'vitest';
import { describeExplorer } from '../support/pages/explorer-page.js';

describeExplorer('The page for browsers', ({ open }) => {
  it('shows its tabs, and goes to them by links and keys', async () => {
    const page = await open();
    const shows = (tab: string) => page.locator('.tabs [aria-current]', { hasText: tab }).waitFor();
    await page.locator('#content[data-tab=data]').waitFor();

    await page.getByRole('link', { name: 'Coach' }).click();
    await shows('Coach');

    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await shows('State');

    await page.goBack();
    await shows('Coach');
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
