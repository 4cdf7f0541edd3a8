import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { insertAll } from '../support/bodies/insert-all.js';
import { chooseAction, rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

describeExplorer('Import and export', ({ open, hashOf, withTable }) => {
  /** Exports what is shown, and returns the file. */
  const exportAs = async (page: Page, form: string) => {
    const downloading = page.waitForEvent('download');
    await chooseAction(page, form);
    return readFile(await (await downloading).path(), 'utf8');
  };

  /** Imports a file into the table that is shown. Returns the lines about rejected rows. */
  const importFile = async (page: Page, name: string, text: string, map = '') => {
    await chooseAction(page, 'Import…');
    const dialog = page.getByRole('dialog', { name: 'Import into the table' });
    await dialog.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await dialog.getByLabel('Where the columns of CSV go').fill(map);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    const report = dialog.locator('p[role=status]').getByText('Rejected:');
    await report.waitFor();
    expect(await report.textContent()).toContain('Imported: ');
    const rejected = await dialog.getByRole('list', { name: 'Rejected rows' }).getByRole('listitem').allTextContents();
    await dialog.getByRole('button', { name: 'Close' }).click();
    return rejected;
  };

  it('keep what a query finds: typed CSV becomes the same entities again [12]', async () => {
    const table = await withTable('Kept');
    await insertAll(table, [
      {
        partitionKey: 'p',
        rowKey: '1',
        Size: 1,
        Large: { type: 'Int64', value: '9007199254740993' },
        Name: 'a,\'"\nb',
      },
      { partitionKey: 'p', rowKey: '2', Size: 2, Whole: { type: 'Double', value: '2' } },
      { partitionKey: 'p', rowKey: '3', Size: 9 },
    ]);
    const page = await open(hashOf('Kept', `?filter=${encodeURIComponent('Size lt 5')}`));
    await rowOf(page, 1).waitFor();
    const lines = await exportAs(page, 'This query: Lines of JSON, without loss');
    const csv = await exportAs(page, 'This query: CSV with types');
    await table.deleteEntity('p', '1');
    await table.deleteEntity('p', '2');

    expect(await importFile(page, 'kept.csv', csv)).toEqual([]);
    await rowOf(page, 1).waitFor();
    const stamps = /"(?:odata\.etag|Timestamp)":"[^"]*",?/g;
    const again = await exportAs(page, 'This query: Lines of JSON, without loss');
    expect(again.replace(stamps, '')).toBe(lines.replace(stamps, ''));
  });

  it.each([
    ['classic', 'PartitionKey,RowKey,Timestamp,Age,Age@type\np,r,2020-01-01T00:00:00Z,42,Edm.Int64\n'],
    ['1.40', 'PartitionKey,RowKey,Timestamp,Age,Age@type\np,q,,7,Int64\np,r,,42,\n'],
  ])('read files of Storage Explorer, %s [13]', async (form, text) => {
    const table = await withTable(`From${form.replace(/\W/g, '')}`);
    const page = await open(hashOf(table.tableName));
    await page.getByText('This table is empty').waitFor();
    expect(await importFile(page, 'file.typed.csv', text)).toEqual([]);
    await rowOf(page, 0).waitFor();
    expect((await table.getEntity('p', 'r'))['Age']).toBe(42n);
  });

  it('read any CSV whose columns are mapped to keys and properties', async () => {
    const table = await withTable('Mapped');
    const page = await open(hashOf('Mapped'));
    await page.getByText('This table is empty').waitFor();
    const csv = 'region,"order, no",note,sum\nnorth,7,x,12\n';
    const map = '{"columns": {"region": "PartitionKey", "order, no": "RowKey", "note": null}}';
    expect(await importFile(page, 'orders.csv', csv, map)).toEqual([]);
    await rowOf(page, 0).waitFor();
    const entity = await table.getEntity('north', '7');
    expect(entity).toMatchObject({ sum: 12 });
    expect(entity).not.toHaveProperty('note');
  });

  it('take the rows that are right, and name the others by line and column [14]', async () => {
    const table = await withTable('Partly');
    const bad = new Map([
      [100, '{"PartitionKey":"p","RowKey":"a/b"}'],
      [500, '{"PartitionKey":"p","RowKey":"500","Size@odata.type":"Edm.Int64","Size":"many"}'],
      [900, '{"PartitionKey":"p",'],
    ]);
    const lines = Array.from(
      { length: 1000 },
      (_, at) => bad.get(at + 1) ?? `{"PartitionKey":"p","RowKey":"${at + 1}"}`,
    );
    const page = await open(hashOf('Partly'));
    await page.getByText('This table is empty').waitFor();
    const rejected = await importFile(page, 'partly.ndjson', lines.join('\n'));

    expect(rejected).toHaveLength(3);
    for (const [at, line] of [100, 500, 900].entries())
      expect(rejected[at]).toMatch(new RegExp(`^Line ${line}\\b.*: [A-Z]`));
    let count = 0;
    for await (const _ of table.listEntities()) count++;
    expect(count).toBe(997);
  });
});
