import { AzureNamedKeyCredential, AzureSASCredential, generateTableSas, TableClient } from '@azure/data-tables';
import { expect, it } from 'vitest';
import { sdkClients, sdkRejection } from '../support/clients/sdk-clients.js';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { linesOf } from '../support/pages/request-lines.js';

describeExplorer('The tab State', (explorer) => {
  /** Returns a client for a new table that has one entity. */
  async function withTable(name: string): Promise<TableClient> {
    const table = sdkClients(explorer.service, 'path').table(name);
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', stock: 1 });
    return table;
  }

  const open = () => explorer.open(`/${explorer.service.account.name}/state`);

  it('takes a snapshot, shows what changed since, and restores it', async () => {
    const table = await withTable('kept');
    const page = await open();
    await page.getByLabel('Name of the snapshot').fill('before');
    await page.getByRole('button', { name: 'Take' }).click();
    const snapshots = page.getByRole('region', { name: 'Snapshots' });
    await snapshots.getByText('before', { exact: true }).waitFor();

    await table.updateEntity({ partitionKey: 'p', rowKey: 'r', stock: 7 }, 'Merge');
    await table.createEntity({ partitionKey: 'p', rowKey: 'new' });
    const difference = page.getByRole('region', { name: 'Difference' });
    await difference.getByRole('combobox', { name: 'From' }).selectOption('before');
    await difference.getByRole('button', { name: 'Compare' }).click();
    await difference.getByRole('row', { name: 'changed kept · p · r stock Int32 1 Int32 7' }).waitFor();
    expect(await difference.locator('.mark').allTextContents()).toEqual(['added', 'changed']);

    await snapshots.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page
      .getByText(/as in before/)
      .first()
      .waitFor();
    expect((await table.getEntity('p', 'r'))['stock']).toBe(1);
    expect(await sdkRejection(table.getEntity('p', 'new'))).toMatchObject({ statusCode: 404 });
  });

  it('compares with another state at first, and cuts a long value, whose whole is its tooltip', async () => {
    const { account } = explorer.service;
    const table = await withTable('long');
    const put = async (path: string) => {
      const answer = await fetch(`${explorer.service.url}/_tabularium${path}`, {
        ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{}' },
      });
      expect(answer.ok, await answer.text()).toBe(true);
    };
    await put('/snapshots/short');
    const text = 'long '.repeat(400);
    await table.updateEntity({ partitionKey: 'p', rowKey: 'r', text, stock: 1n }, 'Merge');
    const page = await open();
    await page.setViewportSize({ width: 1440, height: 900 });
    const difference = page.getByRole('region', { name: 'Difference', exact: true });
    const from = difference.getByRole('combobox', { name: 'From' });
    await from.waitFor();
    expect(await from.inputValue()).not.toBe(account.name);
    expect(await difference.getByRole('combobox', { name: 'to', exact: true }).inputValue()).toBe(account.name);
    await from.selectOption('short');
    await difference.getByRole('button', { name: 'Compare' }).click();
    await difference.getByRole('row', { name: /stock Int32 1 Int64 1$/ }).waitFor();
    const cell = difference.getByTitle(text);
    expect(await cell.textContent()).toBe(`String ${text}`);
    const box = await cell.boundingBox();
    expect(box?.height).toBeLessThan(40);
    expect(box?.width).toBeLessThan(260);

    // Two columns in a wide window; nothing is wider than a narrow one.
    const [left, right] = await Promise.all(
      ['Snapshots', 'Faults'].map((name) => page.getByRole('region', { name }).boundingBox()),
    );
    expect(right?.y).toBe(left?.y);
    expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it('marks a reset as dangerous, and no other button', async () => {
    const page = await open();
    const reset = page.getByRole('region', { name: 'Reset' });
    await reset.getByRole('button', { name: 'Reset all accounts' }).waitFor();
    expect(await page.locator('.card button.danger').allTextContents()).toEqual([
      `Reset ${explorer.service.account.name}`,
      'Reset all accounts',
    ]);
    expect(await page.locator('.card button.primary').count()).toBe(0);
  });

  it('resets the account only after a question, and undoes it', async () => {
    const table = await withTable('removed');
    const page = await open();
    const reset = page.getByRole('button', { name: `Reset ${explorer.service.account.name}` });
    await reset.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await table.getEntity('p', 'r'))['stock']).toBe(1);

    await reset.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page
      .getByText(/reset to empty in/)
      .first()
      .waitFor();
    expect(await sdkRejection(table.getEntity('p', 'r'))).toMatchObject({ statusCode: 404 });

    // The list may still have only what an earlier test has left.
    const line = page
      .getByRole('list', { name: 'Calls that can be undone' })
      .getByRole('listitem')
      .filter({ hasText: /^reset/ });
    await line.getByRole('button', { name: 'Undo' }).first().click();
    await page
      .getByText(/^Undone: /)
      .first()
      .waitFor();
    expect((await table.getEntity('p', 'r'))['stock']).toBe(1);
  });

  it('makes a branch whose connection string works in the SDK, and removes it', async () => {
    await withTable('branched');
    const page = await open();
    const branches = page.getByRole('region', { name: 'Branches' });
    await branches.getByRole('button', { name: 'Make a branch' }).click();
    const connectionString = (await branches.locator('li .copied-text code').textContent()) ?? '';
    const table = TableClient.fromConnectionString(connectionString, 'branched', { allowInsecureConnection: true });
    expect((await table.getEntity('p', 'r'))['stock']).toBe(1);

    const name = (await branches.locator('li a').textContent()) ?? '';
    await branches.getByRole('link', { name }).click();
    await page.locator('#content[data-tab=data]').waitFor();
    // The page learns of the branch with its next session.
    await expect.poll(() => page.getByLabel('Account or branch').inputValue()).toBe(name);
    await page.goBack();

    await branches.getByRole('button', { name: `Remove the branch ${name}` }).click();
    await page.getByText(`The branch ${name} is removed.`).first().waitFor();
    await branches.locator('li').waitFor({ state: 'detached' });
  });

  it('adds a fault that the SDK survives, and shows how often it hit', async () => {
    const table = await withTable('faulty');
    const page = await open();
    const faults = page.getByRole('region', { name: 'Faults' });
    await faults.getByRole('combobox', { name: 'Operation' }).selectOption('insert');
    await faults.getByRole('textbox', { name: 'Table' }).fill('faulty');
    await faults.getByRole('button', { name: 'Add' }).click();
    await faults.getByText('0 hits of 2').waitFor();

    const { name, keys } = explorer.service.account;
    const patient = TableClient.fromConnectionString(
      `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${keys[0]};TableEndpoint=${explorer.service.base};`,
      'faulty',
      { allowInsecureConnection: true, retryOptions: { maxRetries: 3, retryDelayInMs: 1 } },
    );
    await patient.createEntity({ partitionKey: 'p', rowKey: 'retried' });
    await faults.getByText('2 hits of 2').waitFor();
    await faults.getByText('ended').waitFor();
    expect((await table.getEntity('p', 'retried')).rowKey).toBe('retried');

    await page.getByRole('link', { name: 'Requests' }).click();
    await linesOf(page, '503').nth(1).waitFor();
  });

  it('moves the clock past the end of a signature, and says so on every tab', async () => {
    const table = await withTable('timed');
    const sas = generateTableSas(
      'timed',
      new AzureNamedKeyCredential(explorer.service.account.name, explorer.service.account.keys[0] ?? ''),
      {
        permissions: { query: true },
        expiresOn: new Date(Date.now() + 30 * 60 * 1000),
      },
    );
    const reader = new TableClient(explorer.service.base, 'timed', new AzureSASCredential(sas), {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
    });
    expect((await reader.getEntity('p', 'r'))['stock']).toBe(1);

    const page = await open();
    const clock = page.getByRole('region', { name: 'Clock' });
    await clock.getByRole('button', { name: 'Freeze' }).click();
    await clock.getByText('frozen', { exact: true }).waitFor();
    const frozenAt = (await clock.locator('div.line code').textContent()) ?? '';
    await clock.getByRole('button', { name: '+ 1 hour' }).click();
    await clock.locator('div.line code').filter({ hasNotText: frozenAt }).waitFor();
    expect(await sdkRejection(reader.getEntity('p', 'r'))).toMatchObject({ statusCode: 403 });
    expect((await table.getEntity('p', 'r'))['stock']).toBe(1);

    for (const tab of ['Data', 'Requests', 'Coach', 'Connect']) {
      await page.getByRole('link', { name: tab, exact: true }).click();
      await page
        .getByRole('complementary', { name: 'Not as usual' })
        .getByText(/The clock is frozen at/)
        .waitFor();
    }
    // The signature of the page was renewed: its tables are there.
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    await page.getByText('timed').first().waitFor();

    await page.getByRole('link', { name: 'State', exact: true }).click();
    await clock.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The clock is ahead of real time').waitFor();
  });

  it('keeps the other tabs working when another program moves the clock past the end of their signature', async () => {
    const table = await withTable('moved');
    const page = await explorer.open(explorer.hashOf('moved'));
    await rowOf(page, 0).waitFor();
    // The page must not learn of the clock before its next request does.
    await page.route('**/_tabularium/clock', (route) => route.abort());
    const advance = async () => {
      const answer = await fetch(`${explorer.service.url}/_tabularium/clock/advance`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ by: '2h' }),
      });
      expect(answer.status, await answer.text()).toBe(200);
    };

    await table.createEntity({ partitionKey: 'p', rowKey: 's' });
    await advance();
    await page.getByRole('button', { name: /^Run/ }).click();
    await rowOf(page, 1).waitFor();

    await advance();
    await page.getByRole('button', { name: 'New entity' }).click();
    await page.locator('.panel').getByLabel('PartitionKey').fill('p');
    await page.locator('.panel').getByLabel('RowKey').fill('t');
    await page.getByRole('button', { name: 'Insert', exact: true }).click();
    await page.getByText('Inserted.').first().waitFor();
    expect((await table.getEntity('p', 't')).rowKey).toBe('t');
  });
});
