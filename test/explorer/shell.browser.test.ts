import { expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

describeExplorer('The page for browsers', ({ open, hashOf, client }) => {
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

  it('names the place in the title of the window and in the one main heading, on every tab', async () => {
    await client.post('/Tables', { TableName: 'people' });
    const page = await open(hashOf('people'));
    const titled = async (title: string, heading: string) => {
      await expect.poll(() => page.title()).toBe(`${title} – ${developmentAccount.name}`);
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([heading]);
    };
    await titled('people', 'people');
    for (const tab of ['Requests', 'Coach', 'State', 'Connect']) {
      await page.getByRole('link', { name: tab, exact: true }).click();
      await titled(tab, tab);
    }
  });

  it('has a bar of 40 px, and its tabs at the bottom of a small window', async () => {
    const page = await open();
    const tabs = page.getByRole('navigation', { name: 'Tabs' });
    await tabs.waitFor();
    expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThanOrEqual(41);
    expect((await tabs.boundingBox())?.y).toBeLessThan(5);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await tabs.boundingBox())?.y).toBe(844 - 48);
    expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThanOrEqual(41);
    const content = await page.locator('#content').boundingBox();
    expect(content && content.y + content.height).toBeLessThanOrEqual(844 - 48);
  });

  it('has the list of keys in the bar, by the keyboard', async () => {
    const page = await open();
    await page.getByRole('banner').getByRole('button', { name: 'Keys' }).press('Enter');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  it('opens with its defaults when the browser has stored nonsense', async () => {
    const page = await open();
    await page.evaluate(`
      localStorage.setItem('tabularium.widths', '{"nonsense":[');
      localStorage.setItem('tabularium.letters', '"neither"');
    `);
    await page.reload();
    await page.locator('#content').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: 'Single letters' }).and(page.locator(':checked')).waitFor();
  });
});
