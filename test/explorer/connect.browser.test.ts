import { execFileSync } from 'node:child_process';
import { AzureSASCredential, TableClient, TableServiceClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sdkRejection } from '../support/clients/sdk-clients.js';
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
      lines.push((await page.locator('section pre').textContent()) ?? '');
    }
    expect(new Set(lines).size).toBe(5);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the program' }).click();
    await page.getByText('Copied: the program in Go').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(lines.at(-1));
    for (const text of lines) expect(text).toContain('AZURE_STORAGE_CONNECTION_STRING');
  });

  it('copies command lines that name this server, in the tab State', async () => {
    const { url, account } = explorer.service;
    const state = await explorer.open(`/${account.name}/state`);
    const commands = state.locator('.card header code');
    await commands.first().waitFor();
    const texts = await commands.allTextContents();
    expect(texts.length).toBeGreaterThan(4);
    for (const text of texts) expect(text).toMatch(new RegExp(`^node dist/main\\.js \\w.* --url ${url}$`));
  });

  /** Opens the tab with a table chosen for signatures. */
  async function openFor(table: string): Promise<Page> {
    const page = await explorer.open(`/${explorer.service.account.name}/connect`);
    await page.getByRole('combobox', { name: 'Table' }).selectOption(table);
    return page;
  }

  const signed = (page: Page, label: string) =>
    page.locator('.signed dd', { has: page.getByRole('button', { name: `Copy ${label}`, exact: true }) }).textContent();

  it('signs access to a range of a table, which the SDK uses as it is', async () => {
    const owner = await explorer.withTable('Ranged');
    for (const rowKey of ['1', '2']) await owner.createEntity({ partitionKey: "O'Hara & Söhne", rowKey });
    const page = await openFor('Ranged');
    const form = page.getByRole('region', { name: 'Shared access signature' });
    await form.getByLabel('Permissions').fill('r');
    await form.getByLabel('From PartitionKey').fill("O'Hara & Söhne");
    await form.getByLabel('To PartitionKey').fill("O'Hara & Söhne");
    await form.getByLabel('and RowKey').first().fill('2');
    await form.getByLabel('Clients').fill('127.0.0.1');
    await form.getByLabel('Expiry, UTC').fill('2100-01-31T12:00');
    await form.getByRole('button', { name: 'Sign', exact: true }).click();
    await form.getByText('command lines with $SAS').waitFor();
    const url = new URL((await signed(page, 'the signed URL')) ?? '');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ tn: 'Ranged', sp: 'r', se: '2100-01-31T12:00Z' });
    const sas = (await signed(page, 'the signature')) ?? '';
    expect(await signed(page, 'the signed URL')).toContain(`/Ranged?${sas}`);
    const line = `${await signed(page, 'the variable SAS')}; printf %s "$SAS"`;
    if (process.platform !== 'win32') expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe(sas);
    const options = { allowInsecureConnection: true };
    const reader = new TableClient(explorer.service.base, 'Ranged', new AzureSASCredential(sas), options);
    expect((await reader.getEntity("O'Hara & Söhne", '2')).rowKey).toBe('2');
    expect(await sdkRejection(reader.getEntity("O'Hara & Söhne", '1'))).toMatchObject({ statusCode: 404 });
    expect(await sdkRejection(reader.deleteEntity("O'Hara & Söhne", '2'))).toMatchObject({ statusCode: 403 });

    // The result is of the form as it was: it goes as soon as the form changes, and a wrong form says why.
    await form.getByLabel('From PartitionKey').fill('');
    await form.locator('.signed').waitFor({ state: 'detached' });
    await form.getByRole('button', { name: 'Sign', exact: true }).click();
    await page.getByText("'startRow' needs 'startPartition'").waitFor();
  });

  it('keeps the policies of a table, and a signature ends with its policy', async () => {
    const owner = await explorer.withTable('Governed');
    await owner.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const page = await openFor('Governed');
    const policies = page.getByRole('region', { name: 'Stored access policies' });
    await policies.getByLabel('Name').fill('a<b & c');
    await policies.getByLabel('Permissions').fill('r');
    await policies.getByLabel('Expiry').fill('2100-01-31T12:00:00Z');
    await policies.getByRole('button', { name: 'Add a policy' }).click();
    await policies.getByText('a<b & c').waitFor();
    expect(await owner.getAccessPolicy()).toMatchObject([{ id: 'a<b & c', accessPolicy: { permission: 'r' } }]);

    const form = page.getByRole('region', { name: 'Shared access signature' });
    await form.getByLabel('Policy').selectOption('a<b & c');
    await form.getByRole('button', { name: 'Sign', exact: true }).click();
    const text = (await signed(page, 'the connection string of the signature')) ?? '';
    const reader = TableClient.fromConnectionString(text, 'Governed', { allowInsecureConnection: true });
    expect((await reader.getEntity('p', 'r')).rowKey).toBe('r');

    await policies.getByRole('button', { name: 'Change' }).click();
    expect(await policies.getByLabel('Expiry').inputValue()).toBe('2100-01-31T12:00:00.0000000Z');
    await policies.getByLabel('Permissions').fill('a');
    await policies.getByRole('button', { name: 'Save the policy' }).click();
    await policies.getByText('Permissions a').waitFor();
    expect(await sdkRejection(reader.getEntity('p', 'r'))).toMatchObject({ statusCode: 403 });

    await policies.getByLabel('Name').fill('a<b & c');
    await policies.getByRole('button', { name: 'Add a policy' }).click();
    await page.getByText(/XML specified is not/).waitFor();
    await policies.getByRole('button', { name: 'Delete a<b & c' }).click();
    await policies.getByRole('listitem').waitFor({ state: 'detached' });
    expect(await owner.getAccessPolicy()).toEqual([]);
  });

  it('shows and changes the CORS rules of the service', async () => {
    const { url, account } = explorer.service;
    const text = `DefaultEndpointsProtocol=http;AccountName=${account.name};AccountKey=${account.keys[0]};TableEndpoint=${url}/${account.name};`;
    const service = TableServiceClient.fromConnectionString(text, { allowInsecureConnection: true });
    const page = await explorer.open(`/${account.name}/connect`);
    const rules = page.getByRole('region', { name: 'CORS rules' });
    await rules.getByLabel('Origins').fill('https://app.example');
    await rules.getByLabel('Methods').fill('GET,PUT');
    await rules.getByRole('button', { name: 'Add a rule' }).click();
    await rules.getByText('Methods GET,PUT').waitFor();
    expect((await service.getProperties()).cors).toMatchObject([
      { allowedOrigins: 'https://app.example', allowedMethods: 'GET,PUT', maxAgeInSeconds: 0 },
    ]);
    await rules.getByRole('button', { name: 'Delete https://app.example' }).click();
    await rules.getByRole('listitem').waitFor({ state: 'detached' });
    expect((await service.getProperties()).cors ?? []).toEqual([]);
  });

  it('says how long its signature is valid by the clock of the server, and makes a new one in time', async () => {
    const { url, account } = explorer.service;
    const move = async (path: string, body: object) => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${url}/_tabularium/clock/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
    };
    await move('freeze', {});
    const page = await explorer.open(`/${account.name}/connect`);
    const text = page.locator('.strings code', { hasText: 'SharedAccessSignature' });
    await page.getByText(/valid for (?:59|60) more minutes/).waitFor();
    const first = await text.textContent();
    await move('advance', { by: '29m' });
    await page.getByText(/valid for (?:30|31) more minutes/).waitFor();
    expect(await text.textContent()).toBe(first);

    await move('advance', { by: '2m' });
    await page.getByText(/valid for (?:59|60) more minutes/).waitFor();
    expect(await text.textContent()).not.toBe(first);
    await move('advance', { by: '55m' });
    await page.getByText(/valid for (?:59|60) more minutes/).waitFor();
    const service = TableServiceClient.fromConnectionString((await text.textContent()) ?? '', {
      allowInsecureConnection: true,
    });
    expect(await service.listTables().next()).toBeDefined();
    await move('resume', {});
  });
});
