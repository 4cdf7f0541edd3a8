import { expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { eachInFolder, startChild } from '../support/programs/child-server.js';
import { freePort } from '../support/programs/free-port.mjs';

const row = { partitionKey: 'p', rowKey: 'r' };
const link = `?row=${encodeURIComponent('["p","r"]')}`;

/** Fills the storage of the browser's tab to its last character. */
const fillStorage = `
  let filler = '';
  for (let size = 2 ** 22; size >= 1; size /= 2) {
    try {
      sessionStorage.setItem('filler', filler + 'x'.repeat(size));
      filler += 'x'.repeat(size);
    } catch {}
  }`;

describeExplorer('Text that is not saved', ({ open, openAt, hashOf, withTable }) => {
  let folder = '';
  eachInFolder((one) => (folder = one));

  it('stays when the server is killed during the save, and a second insert says that the first one was done', async () => {
    const options = { location: folder, port: await freePort() };
    let server = await startChild(options);
    await server.client().post('/Tables', { TableName: 'Killed' });
    const page = await openAt(server.url, `#/${developmentAccount.name}/data/Killed`);
    await page.getByRole('button', { name: 'Insert an entity' }).click();
    const rowKey = page.getByRole('region', { name: 'New entity' }).getByLabel('RowKey');
    await rowKey.fill('r');
    const inserts = /\/Killed\?/;
    await page.route(inserts, async (route) => {
      await route.fetch();
      await server.stop('SIGKILL');
      await route.abort();
    });
    await page.getByRole('button', { name: 'Insert', exact: true }).click();
    await page
      .getByText(/Not connected/)
      .first()
      .waitFor();
    expect(await rowKey.inputValue()).toBe('r');

    await page.unroute(inserts);
    server = await startChild(options);
    await page
      .getByText(/Not connected/)
      .first()
      .waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Insert', exact: true }).click();
    await page.getByText('The specified entity already exists.').first().waitFor();
    await server.stop('SIGTERM');
  });

  it('stays in memory when the storage of the browser is full, which the page says', async () => {
    const table = await withTable('Full');
    await table.createEntity({ ...row, Name: 'Ada' });
    await withTable('Other');
    const page = await open(hashOf('Full', link));
    const name = page.getByLabel('Value of Name');
    await name.waitFor();
    await page.evaluate(fillStorage);
    await name.fill('Grace');
    await page.getByText('Not saved, and lost by a reload:').waitFor();
    await page.getByRole('link', { name: /^Other/ }).click();
    await page.getByText('This table is empty').waitFor();
    await page.getByRole('link', { name: 'Full p / r' }).click();
    expect(await name.inputValue()).toBe('Grace');

    await page.evaluate('sessionStorage.removeItem("filler")');
    await name.fill('Grace Hopper');
    await page.getByText('Not saved:').waitFor();
  });

  it('of 5,000 entities stays over a reload', async () => {
    const table = await withTable('Many');
    await table.createEntity({ ...row, Name: 'Ada' });
    const page = await open(hashOf('Many', link));
    page.on('dialog', (dialog) => dialog.accept());
    const name = page.getByLabel('Value of Name');
    await name.fill('first');
    // As if each of the others had been typed, too.
    await page.evaluate(`{
      const [id] = Object.keys(sessionStorage).filter((one) => one.startsWith('tabularium.draft.'));
      const draft = JSON.parse(sessionStorage.getItem(id));
      for (let at = 1; at < 5000; at++) {
        const base = { ...draft.base, rowKey: 'r' + at };
        sessionStorage.setItem(
          'tabularium.draft.' + JSON.stringify([...JSON.parse(id.slice(17)).slice(0, 2), JSON.stringify(['p', base.rowKey])]),
          JSON.stringify({ ...draft, base, rowKey: base.rowKey, row: JSON.stringify(['p', base.rowKey]) }),
        );
      }
    }`);
    const kept = () =>
      page.evaluate<number>(`Object.keys(sessionStorage).filter((one) => one.startsWith('tabularium.draft.')).length`);
    await page.reload();
    await name.fill('last');
    await page.reload();
    await expect.poll(() => name.inputValue()).toBe('last');
    expect(await kept()).toBe(5000);
    await page.getByRole('button', { name: /\d more/ }).waitFor();
  });

  it('in two windows on one row is joined, unless both have changed the same property', async () => {
    const table = await withTable('Twice');
    await table.createEntity({ ...row, Name: 'Ada', Note: 'n' });
    const [one, two] = await Promise.all([open(hashOf('Twice', link)), open(hashOf('Twice', link))]);
    await Promise.all([rowOf(one, 0).waitFor(), rowOf(two, 0).waitFor()]);
    await one.getByLabel('Value of Name').fill('Grace');
    await two.getByLabel('Value of Note').fill('mine');
    for (const page of [one, two]) {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.').first().waitFor();
    }
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Grace', Note: 'mine' });

    for (const page of [one, two]) {
      await rowOf(page, 0).locator('.cell').nth(1).dblclick();
      await page.getByLabel('Value of Name').fill(page === one ? 'one' : 'two');
    }
    await one.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(async () => (await table.getEntity('p', 'r'))['Name']).toBe('one');
    await two.getByRole('button', { name: 'Save', exact: true }).click();
    await two.getByText('Theirs: one, when opened: Grace').waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'one' });
  });
});
