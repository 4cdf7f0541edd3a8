import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { TableClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startTabularium } from '../../src/index.js';
import { chooseAction, rowOf, writeFilter } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const allRules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** Returns what axe finds on a page by these rules or sets of rules, in one line for each finding. */
async function violationsOf(page: Page, rules: readonly string[] = allRules): Promise<readonly string[]> {
  // The policy of the page lets no script in; the debugger of the browser is not bound by it.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  const found = await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })`);
  const { violations } = found as {
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** A text that would run a script wherever it was written as HTML. */
const hostile = '"><img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>';

describeExplorer('The page', ({ open, openAt, hashOf, withTable }) => {
  it.each([
    // The other themes differ in their colors.
    ['light', { colorScheme: 'light' }, allRules],
    ['dark', { colorScheme: 'dark' }, ['color-contrast']],
    ['forced colors', { forcedColors: 'active' }, ['color-contrast']],
  ] as const)('has no fault that axe knows, in %s [22]', async (theme, media, rules) => {
    const table = await withTable(`Axe${theme.replace(' ', '')}`);
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'Ada', Size: 1, Note: '' });
    const page = await open(hashOf(table.tableName));
    await page.emulateMedia(media);
    await rowOf(page, 0).waitFor();
    await writeFilter(page, 'Size == 1');
    await page.getByRole('button', { name: 'Fix and run' }).waitFor();
    expect(await violationsOf(page, rules)).toEqual([]);

    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Entity', exact: true }).waitFor();
    expect(await violationsOf(page, rules)).toEqual([]);

    await page.getByRole('button', { name: 'Create a table' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await violationsOf(page, rules)).toEqual([]);
    await page.keyboard.press('Escape');

    for (const tab of ['Requests', 'Coach', 'State', 'Connect']) {
      await page.getByRole('link', { name: tab }).click();
      await page.locator(`#content[data-tab=${tab.toLowerCase()}] > :not(h1)`).first().waitFor();
      expect(await violationsOf(page, rules), tab).toEqual([]);
    }
  });

  it('has no fault that axe knows in its other dialogs [22]', async () => {
    const table = await withTable('Dialogs');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'old' });
    const page = await open(hashOf('Dialogs'));
    await rowOf(page, 0).waitFor();
    const dialog = page.getByRole('dialog');
    const judge = async (title: string) => {
      await page.getByRole('dialog', { name: title }).waitFor();
      expect(await violationsOf(page), title).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await chooseAction(page, 'Import…');
    const csv = { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from('PartitionKey,RowKey,sum\np,/,1\n') };
    await dialog.locator('input[type=file]').setInputFiles(csv);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.locator('p[role=status]').getByText('Rejected:').waitFor();
    await judge('Import into the table');

    await rowOf(page, 0).waitFor();
    await chooseAction(page, 'Delete the results…');
    await judge('Delete 1 entity?');
    await chooseAction(page, 'Delete the table Dialogs');
    await judge('Delete the table Dialogs?');
    await page.getByRole('grid').focus();
    await page.keyboard.press('?');
    await judge('Keys');

    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Value of Name').fill('mine');
    await table.updateEntity({ partitionKey: 'p', rowKey: 'r', Name: 'theirs' }, 'Merge');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Keep mine' }).waitFor();
    expect(await violationsOf(page), 'a conflict').toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'has no fault that axe knows in menus and small windows, in %s',
    async (colorScheme) => {
      // A list of few tables needs no scrolling, which would leave a part of a line in sight.
      await using server = await startTabularium();
      const table = TableClient.fromConnectionString(server.connectionString, 'Small', {
        allowInsecureConnection: true,
      });
      await table.createTable();
      await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'Ada', Size: 1 });
      const page = await openAt(server.url, '#/devstoreaccount1/data/Small');
      await page.emulateMedia({ colorScheme });
      await rowOf(page, 0).waitFor();
      // The other theme differs in its colors.
      const rules = colorScheme === 'dark' ? ['color-contrast'] : [...allRules, 'best-practice'];
      const judge = async (state: string) => expect(await violationsOf(page, rules), state).toEqual([]);
      const judgeMenu = async (name: string) => {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('menu').waitFor();
        await judge(name);
        await page.keyboard.press('Escape');
      };
      await judgeMenu(`Actions for ${table.tableName}`);
      await page.getByRole('region', { name: 'Cost of the query' }).locator('summary').click();
      await judge('plan');
      await rowOf(page, 0).getByText('Ada').click();
      await page.keyboard.type('Grace');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
      await judge('not saved');
      await rowOf(page, 0).getByText('Grace').click();
      await page.keyboard.press('Control+z');
      await rowOf(page, 0).getByText('Ada').waitFor();
      await page.setViewportSize({ width: 640, height: 400 });
      await judge('200 %');
      await page.setViewportSize({ width: 320, height: 640 });
      await judge('400 %');
      await page.setViewportSize({ width: 390, height: 844 });
      await judge('phone');
      await judgeMenu(table.tableName);
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await judge('filter of a phone');
      await page.getByRole('grid').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Entity', exact: true }).waitFor();
      await judge('entity on a phone');
      await page.keyboard.press('Escape');
      for (const tab of ['Requests', 'Coach', 'State', 'Connect']) {
        await page.getByRole('link', { name: tab, exact: true }).click();
        await page.locator(`#content[data-tab=${tab.toLowerCase()}] > :not(h1)`).first().waitFor();
        await judge(`${tab} on a phone`);
      }
      await page.getByRole('link', { name: 'Data', exact: true }).click();
      await page.getByRole('button', { name: table.tableName, exact: true }).click();
      await page.getByRole('menuitem', { name: 'All tables' }).click();
      await page.getByRole('link', { name: table.tableName }).waitFor();
      await judge('tables of a phone');
    },
  );

  it('shows hostile values, keys, filters and messages as the texts that they are [23]', async () => {
    const table = await withTable('Hostile');
    await table.createEntity({ partitionKey: hostile.replaceAll(/[/\\#?]/g, ''), rowKey: 'r', Name: hostile });
    const filter = `Name ne '${hostile.replaceAll("'", "''")}x'`;
    const page = await open(hashOf('Hostile', `?filter=${encodeURIComponent(filter)}`));
    await rowOf(page, 0).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Value of Name').inputValue()).toBe(hostile);
    await page.getByRole('button', { name: 'JSON' }).click();
    expect(await page.getByLabel('Entity as JSON').inputValue()).toContain(JSON.stringify(hostile));
    await page.getByRole('button', { name: 'Close' }).first().click();
    await writeFilter(page, `Name eq ${hostile}`);
    await page.locator('.filter-fault .icon').waitFor();
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('The service rejected this query').waitFor();

    expect(await page.title()).toMatch(/^Hostile – /);
    expect(await page.locator('img').count()).toBe(0);
    await open(
      `/${encodeURIComponent(hostile)}/data/${encodeURIComponent(hostile)}?filter=${encodeURIComponent(hostile)}`,
    );
  });
});
