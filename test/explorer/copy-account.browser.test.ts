import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { manyRows } from '../support/copy/copy-between.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

describeExplorer('Copy from an account', ({ open }) => {
  it('brings its tables, shows the progress, and sends the key in a body alone', async () => {
    await using source = await startTabularium();
    await source.import([manyRows(6000)]);
    const page = await open();
    const sent: { readonly url: string; readonly body: string | null }[] = [];
    page.on('request', (request) => sent.push({ url: request.url(), body: request.postData() }));
    await page.getByRole('button', { name: 'Copy from an account…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy from an account' });
    await dialog.getByLabel('Connection string, or signed URL').fill(source.connectionString);
    await dialog.getByLabel('Mask these properties').fill('Total, Totl');
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog.locator('p[role=status]').getByText('Imported: 6,000 rows').waitFor();
    await dialog.getByText('--mask Totl matched no entity. Nothing is masked by it.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Many' }).waitFor();
    const [key = ''] = /(?<=AccountKey=)[^;]*/.exec(source.connectionString) ?? [];
    expect(sent.filter(({ url }) => url.includes(encodeURIComponent(key)) || url.includes(key))).toEqual([]);
    expect(sent.filter(({ body }) => body?.includes(key)).map(({ url }) => new URL(url).pathname)).toEqual([
      '/_tabularium/copy',
    ]);
    expect(await page.content()).not.toContain(key);
  });
});
