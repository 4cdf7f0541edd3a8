import { expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

/** The document of an editor: its host sends the requests, it has a theme, and its links lead nowhere. */
const editor = `
  globalThis.asked = [];
  globalThis.tabularium = {
    serverRoot: 'http://tables.test:1234',
    ask: (path, request) => { asked.push(path.split(/[?/]/)[1]); return fetch(path, request); },
  };
  addEventListener('DOMContentLoaded', () => {
    document.body.className = 'vscode-body vscode-dark';
    addEventListener('click', (event) => event.target.closest('a') && event.preventDefault());
  });`;

describeExplorer('The page in an editor', ({ open, hashOf, withTable }) => {
  it('asks through its host, names the server of the host, follows the theme, and its links lead to their places', async () => {
    const table = await withTable('Hosted');
    const page = await open();
    await page.addInitScript(editor);
    await page.reload();
    await page.getByRole('link', { name: 'Hosted' }).click();
    await page.waitForFunction(`location.hash === '#${hashOf(table.tableName)}'`);
    await page.getByRole('link', { name: 'State' }).click();
    const command = page.locator('.card header code').first();
    expect(await command.textContent()).toMatch(/ --url http:\/\/tables\.test:1234$/);
    await page.getByRole('link', { name: 'Connect' }).click();
    expect(await page.locator('.strings code').first().textContent()).toContain('http://tables.test:1234/');
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    expect(await page.evaluate('[...new Set(asked)].sort()')).toEqual(['_tabularium', developmentAccount.name]);
  });
});
