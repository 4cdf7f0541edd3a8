import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { freePort } from '../support/programs/free-port.mjs';

describeExplorer('The page shows', ({ open, openAt, hashOf, withTable, client }) => {
  it('tables that a program creates and deletes, without a refresh', async () => {
    await withTable('Early');
    const page = await open(hashOf('Early'));
    await page.getByRole('link', { name: /^Early/ }).waitFor();
    await withTable('Late');
    await page.getByRole('link', { name: /^Late/ }).waitFor();
    await client.delete("/Tables('Early')");
    await page.getByRole('link', { name: /^Early/ }).waitFor({ state: 'detached' });
  });

  it('that the server is gone, keeps rows and text, and continues when it is back', async () => {
    const port = await freePort();
    const start = () => startTabularium({ port });
    let server = await start();
    try {
      const page = await openAt(server.url, '#/devstoreaccount1/state');
      await page.getByRole('heading', { name: 'Snapshots' }).waitFor();
      await server.close();
      await page.getByText('Not connected since').waitFor();
      await page.getByRole('heading', { name: 'Snapshots' }).waitFor();
      server = await start();
      await page.getByText('Not connected since').waitFor({ state: 'detached' });
    } finally {
      await server.close();
    }
  });

  it('its notices over the content, which does not move', async () => {
    const table = await withTable('Noted');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const page = await open(hashOf('Noted'));
    await rowOf(page, 0).waitFor();
    const before = await rowOf(page, 0).boundingBox();
    await page.getByRole('grid').focus();
    for (let copies = 0; copies < 3; copies++) await page.keyboard.press('Control+c');
    await page.getByRole('status').getByText(/opied/).first().waitFor();
    expect(await rowOf(page, 0).boundingBox()).toEqual(before);
    expect(await page.getByRole('region', { name: 'Notices' }).getByText(/opied/).count()).toBe(1);
  });

  it('the table of an address in its list, however long that is, and says "1 entity"', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `Long${String(at).padStart(2, '0')}`);
    for (const name of names) await client.post('/Tables', { TableName: name });
    await client.post('/Long59', { PartitionKey: 'p', RowKey: 'r' });
    const page = await open(hashOf('Long59'));
    await page.getByText('1 entity', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: /^Long59/ }).isVisible()).toBe(true);
    const link = await page.getByRole('link', { name: /^Long59/ }).boundingBox();
    expect(link && link.y + link.height).toBeLessThanOrEqual(800);
  });

  it('a long deletion in one line of what can be undone', async () => {
    const table = await withTable('Cut');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const filter = Array.from({ length: 300 }, (_, at) => `RowKey eq '${at}'`).join(' or ');
    const deleted = await client.post(
      '/_tabularium/entities/delete',
      { table: 'Cut', filter: `${filter} or RowKey eq 'r'` },
      { prefix: '' },
    );
    expect(deleted.status, deleted.body).toBe(200);
    const page = await open(hashOf('x').replace('/data/x', '/state'));
    const line = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'Undo' }) })
      .first();
    await line.waitFor();
    expect((await line.boundingBox())?.height).toBeLessThan(80);
  });

  it('a change of type as a difference', async () => {
    const table = await withTable('Typed');
    await client.post('/Typed', { PartitionKey: 'p', RowKey: 'r', 'A@odata.type': 'Edm.Double', A: 1 });
    await client.put('/_tabularium/snapshots/doubles', {}, { prefix: '' });
    await table.upsertEntity({ partitionKey: 'p', rowKey: 'r', A: { type: 'Int32', value: '1' } }, 'Replace');
    const page = await open(hashOf('x').replace('/data/x', '/state'));
    const difference = page.getByRole('region', { name: 'Difference' });
    await difference.getByText('Compare').waitFor();
    await difference.getByLabel('From').selectOption('doubles');
    await page.getByRole('button', { name: 'Compare' }).click();
    await difference.getByRole('row', { name: 'changed Typed · p · r A Double 1 Int32 1' }).waitFor();
  });
});

describeExplorer('The page leaves', ({ open, hashOf, withTable, client }) => {
  it('the rules for faults to the programs', async () => {
    const table = await withTable('Faulty');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const rules = { rules: { when: { operation: 'Query Entities' }, fault: 'ServerBusy', times: 1 } };
    const added = await client.post('/_tabularium/faults', rules, { prefix: '' });
    expect(added.status, added.body).toBe(200);
    const page = await open(hashOf('Faulty'));
    await rowOf(page, 0).waitFor();
    expect((await client.get('/Faulty()')).status).toBe(503);
  });
});
