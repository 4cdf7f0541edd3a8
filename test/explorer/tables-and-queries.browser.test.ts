import { expect, it } from 'vitest';
import { insertAll } from '../support/bodies/insert-all.js';
import { readRow, rowOf, writeFilter } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

describeExplorer('Tables and queries', (explorer) => {
  const { open, hashOf, client, withTable } = explorer;
  const fill = async (table: string, rows: readonly object[]) => {
    await client.post('/Tables', { TableName: table });
    for (const row of rows) await client.post(`/${table}`, row as Record<string, never>);
  };

  it('begin with an empty account that says what to do [1]', async () => {
    const page = await open();
    await page.getByText('This account has no tables').waitFor();
    await page.getByRole('button', { name: 'Create a table' }).last().click();

    await page.getByLabel('Name').fill('a');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('The specified resource name length is not within').waitFor();
    await page.getByLabel('Name').fill('Made');
    await page.keyboard.press('Enter');

    await page.getByText('This table is empty').waitFor();
    expect((await client.get('/Tables')).rows).toMatchObject([{ TableName: 'Made' }]);
  });

  it('are filtered by completion alone, without a name that is typed [3]', async () => {
    await fill('Completed', [
      { PartitionKey: 'north', RowKey: '1' },
      { PartitionKey: 'south', RowKey: '2' },
    ]);
    const page = await open(hashOf('Completed'));
    await rowOf(page, 1).waitFor();
    const filter = page.getByRole('combobox', { name: '$filter' });
    const offered = page.locator('datalist option');
    for (const choice of ['PartitionKey ', 'PartitionKey eq ', "PartitionKey eq 'south' "]) {
      await expect
        .poll(() => offered.evaluateAll((all) => all.map((one) => one.getAttribute('value'))))
        .toContain(choice);
      await filter.fill(choice);
    }
    await expect.poll(() => offered.count()).toBe(2);
    await page.keyboard.press('Control+Enter');

    await page.getByText('1 entities', { exact: false }).first().waitFor();
    await page.waitForFunction(`document.querySelectorAll('.rows .row').length === 1`);
    expect(await readRow(page, 0)).toMatchObject({ PartitionKey: 'south', RowKey: '2' });
    expect(page.url()).toContain('filter=PartitionKey+eq+%27south%27');
  });

  it.each([
    ["startswith(RowKey,'a')", 'The service has no function startswith.'],
    ['RowKey eq "ab"', 'Strings need single quotes.'],
    ['Size == 5000000000', 'A $filter uses words as operators, not symbols.'],
  ])('show the error of %s where it is, with a fix that runs [4]', async (filter, words) => {
    await client.post('/Tables', { TableName: 'Fixed' });
    const size = { Size: '5000000000', 'Size@odata.type': 'Edm.Int64' };
    await client.put("/Fixed(PartitionKey='p',RowKey='ab')", size);
    const page = await open(hashOf('Fixed'));
    await writeFilter(page, filter);
    const fault = page.locator('.filter-fault');
    await fault.getByText(words).waitFor();
    expect(filter).toContain(await fault.locator('code').textContent());
    await page.getByRole('button', { name: 'Fix and run' }).click();
    await rowOf(page, 0).waitFor();
    expect(await readRow(page, 0)).toMatchObject({ RowKey: 'ab' });
  });

  it('of 2,500 entities are read in three pages, down and up [6]', async () => {
    const rows = Array.from({ length: 2500 }, (_, at) => ({ partitionKey: 'p', rowKey: String(at).padStart(5, '0') }));
    await insertAll(await withTable('Long'), rows);
    const page = await open(hashOf('Long'));
    await rowOf(page, 0).waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('-1');
    await page.getByRole('grid').focus();
    for (const count of [2000, 2500]) {
      await page.keyboard.press('Control+End');
      await page.getByText(`${count.toLocaleString('en')} ${count === 2500 ? 'entities' : 'of 2,500 read'}`).waitFor();
    }
    await page.keyboard.press('Control+End');
    await rowOf(page, 2499).waitFor();
    expect(await readRow(page, 2499)).toMatchObject({ RowKey: '02499' });
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('2501');
    expect(await page.locator('.rows .row').count()).toBeLessThan(100);

    await page.keyboard.press('Control+Home');
    await rowOf(page, 0).waitFor();
    expect(await readRow(page, 0)).toMatchObject({ RowKey: '00000' });
    const cost = page.getByRole('region', { name: 'Cost of the query' });
    await cost.getByText('3 pages').waitFor();
    await cost.getByText('2,500 read').waitFor();
  });

  it('continue past pages without entities, and show how many there were [7]', async () => {
    const rows = Array.from({ length: 1001 }, (_, at) => ({ partitionKey: 'p', rowKey: String(at).padStart(4, '0') }));
    await insertAll(await withTable('Sparse'), rows);
    const page = await open();
    await page.getByRole('link', { name: /^Sparse/ }).waitFor();
    // Every other page is empty. The one after it begins where the empty one did.
    let [pages, place] = [0, ''];
    await page.route(/\/Sparse\(\)\?/, (route) => {
      if (pages++ % 2 === 1) return route.continue({ url: place });
      place = route.request().url();
      return route.fulfill({ json: { value: [] }, headers: { 'x-ms-continuation-NextPartitionKey': 'any' } });
    });
    await page.getByRole('link', { name: /^Sparse/ }).click();
    await rowOf(page, 0).waitFor();
    const cost = page.getByRole('region', { name: 'Cost of the query' });
    await cost.getByText('1 empty page').waitFor();
    await page.getByRole('button', { name: 'Read more' }).click();
    await page.getByText('1,001 entities').waitFor();
    await cost.getByText('2 empty pages').waitFor();
    await cost.getByText('4 pages').waitFor();
  });

  it('ask before they continue after twenty pages without entities', async () => {
    await fill('Endless', [{ PartitionKey: 'p', RowKey: '1' }]);
    const page = await open();
    await page.getByRole('link', { name: 'Endless' }).waitFor();
    let empty = 0;
    await page.route(/\/Endless\(\)\?/, (route) => {
      if (empty++ < 25)
        return route.fulfill({ json: { value: [] }, headers: { 'x-ms-continuation-NextPartitionKey': 'any' } });
      return route.continue({ url: route.request().url().replace('NextPartitionKey=any&', '') });
    });
    await page.getByRole('link', { name: 'Endless' }).click();
    await page.getByText('the last 20 pages were empty').waitFor();
    expect(empty).toBe(20);
    await page.getByRole('button', { name: 'Read more' }).click();
    await rowOf(page, 0).waitFor();
    const cost = page.getByRole('region', { name: 'Cost of the query' });
    await cost.getByText('25 empty pages').waitFor();
  });
});
