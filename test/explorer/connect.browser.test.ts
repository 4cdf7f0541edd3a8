import { TableServiceClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { describeExplorer } from '../support/pages/explorer-page.js';

describeExplorer('The tab Connect', (explorer) => {
  it('shows connection strings that work in the SDK, with the key and with a signature', async () => {
    const page = await explorer.open(`/${explorer.service.account.name}/connect`);
    const strings = page.locator('.strings .copied-text code');
    await strings.first().waitFor();
    const [withKey = '', , withSignature = ''] = await strings.allTextContents();
    for (const connectionString of [withKey, withSignature]) {
      const client = TableServiceClient.fromConnectionString(connectionString, { allowInsecureConnection: true });
      expect(await client.listTables().next()).toMatchObject({ done: true });
    }
  });

  it('has the first lines of a program in each language', async () => {
    const page = await explorer.open(`/${explorer.service.account.name}/connect`);
    const lines: string[] = [];
    for (const language of ['JavaScript', 'Python', 'C#', 'Java', 'Go']) {
      await page.getByLabel('Language').selectOption(language);
      lines.push((await page.locator('.snippet').textContent()) ?? '');
    }
    expect(new Set(lines).size).toBe(5);
    for (const text of lines) expect(text).toContain('AZURE_STORAGE_CONNECTION_STRING');
  });

  it('copies command lines that name this server, as the tab State does', async () => {
    const { url, account } = explorer.service;
    const page = await explorer.open(`/${account.name}/connect`);
    const checks = page.locator('section[aria-labelledby=connect-checks] code');
    await checks.first().waitFor();
    expect(await checks.allTextContents()).toEqual([
      `node dist/main.js doctor --tablePort ${new URL(url).port}`,
      `node dist/main.js requests --follow --url ${url}`,
      `node dist/main.js why REQUEST-ID --url ${url}`,
    ]);

    const state = await explorer.open(`/${account.name}/state`);
    const commands = state.locator('.card header code');
    await commands.first().waitFor();
    const texts = await commands.allTextContents();
    expect(texts.length).toBeGreaterThan(4);
    for (const text of texts) expect(text).toMatch(new RegExp(`^node dist/main\\.js \\w.* --url ${url}$`));
  });
});
