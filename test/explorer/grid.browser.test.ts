import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { insertAll } from '../support/bodies/insert-all.js';
import { readRow, rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

/** Pastes a text into the grid, as Ctrl+V does. */
function paste(page: Page, text: string): Promise<void> {
  return page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.querySelector('[role=grid]').dispatchEvent(pasted);
  })()`);
}

/** Listens to what the page copies. */
async function watchCopies(page: Page): Promise<() => Promise<string | undefined>> {
  await page.evaluate(`
    window.copies = [];
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => void window.copies.push(text) } });
  `);
  return () => page.evaluate(`window.copies.at(-1)`);
}

const people = [
  { partitionKey: 'p', rowKey: 'a', name: 'Ada', born: 1815 },
  { partitionKey: 'p', rowKey: 'b', name: 'Grace', born: 1906 },
  { partitionKey: 'p', rowKey: 'c', name: 'Alan' },
];

/** Orders with twelve properties. */
const orders = Array.from({ length: 40 }, (_, at) => ({
  ...{
    partitionKey: `customer-${Math.floor(at / 20)}`,
    rowKey: `order-${String(at).padStart(5, '0')}`,
    Status: 'open',
  },
  ...{ Total: at * 9.99, Currency: 'EUR', Items: at, Placed: new Date(1.7e12 + at), Paid: at % 2 === 0, City: 'Malmö' },
  ...{ Name: 'Ada Lovelace', Weight: 0.1, Tracking: 9007199254740993n, Note: at % 9 === 0 ? 'ring twice' : '' },
  ...(at === 7 && { Address: 'Storgatan 1' }),
}));

describeExplorer('The grid', ({ open, hashOf, withTable }) => {
  it('shows more properties: widths fit, rare columns and the Timestamp are last, and a repeated key is faint', async () => {
    await insertAll(await withTable('Orders'), orders);
    const page = await open(hashOf('Orders'));
    await rowOf(page, 0).waitFor();
    const names = await page.locator('.grid .head .cell > .text').allInnerTexts();
    expect(names.slice(0, 2)).toEqual(['PartitionKey', 'RowKey']);
    const visible: number = await page.evaluate(`(() => {
      const grid = document.querySelector('.grid');
      const cells = [...grid.querySelectorAll('.rows .row:first-child .cell:not(.frozen)')];
      const { left } = grid.getBoundingClientRect();
      return cells.filter((cell) => cell.getBoundingClientRect().right <= left + grid.clientWidth).length;
    })()`);
    expect(visible).toBeGreaterThanOrEqual(5);
    // No number, date or key is cut.
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.rows .code .text, .rows .frozen .text')].filter((text) => text.scrollWidth > text.clientWidth).length`,
    );
    expect(cut).toBe(0);
    expect(await rowOf(page, 0).locator('.frozen.faint').count()).toBe(0);
    expect(await rowOf(page, 1).locator('.frozen.faint').count()).toBe(1);
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    expect((await page.locator('.grid .head .cell > .text').allInnerTexts()).slice(-2)).toEqual([
      'Address',
      'Timestamp',
    ]);
  });

  it('names no cell of another table, and comes back to its place', async () => {
    await insertAll(
      await withTable('Long'),
      Array.from({ length: 400 }, (_, at) => ({ partitionKey: 'p', rowKey: String(at).padStart(3, '0') })),
    );
    await insertAll(await withTable('Short'), people);
    const page = await open(hashOf('Long'));
    await rowOf(page, 0).waitFor();
    const grid = page.getByRole('grid');
    await grid.focus();
    await page.keyboard.press('Control+End');
    await rowOf(page, 399).waitFor();
    const active = `document.getElementById(document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))?.closest('.row').ariaRowIndex`;
    expect(await page.evaluate(active)).toBe('401');

    await page.getByRole('link', { name: 'Short' }).click();
    await page.getByText('Grace').waitFor();
    expect(await page.evaluate(active)).toBe('2');
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('link', { name: 'Long' }).click();
    await rowOf(page, 399).waitFor();
    expect(await page.evaluate(active)).toBe('401');
  });

  it('sorts and finds in the rows read, in the address', async () => {
    await insertAll(await withTable('Sorted'), people);
    const page = await open(hashOf('Sorted'));
    await rowOf(page, 0).waitFor();
    const keys = async () => [0, 1, 2].map(async (row) => (await readRow(page, row))['RowKey']);
    await page.locator('.head .cell', { hasText: 'born' }).click();
    await page.getByRole('grid').press('Enter');
    await page.locator('[aria-sort=ascending]').waitFor();
    await page.getByRole('grid').press('Enter');
    await page.locator('[aria-sort=descending]').waitFor();
    // The row without a value is the last one.
    expect(await Promise.all(await keys())).toEqual(['b', 'a', 'c']);
    expect(page.url()).toContain('sort=-born');

    await page.getByRole('searchbox', { name: 'Find in the rows read' }).fill('AL');
    await page.getByText('1 of the 3 rows read').waitFor();
    expect((await readRow(page, 0))['name']).toBe('Alan');
    await page.reload();
    await page.getByText('1 of the 3 rows read').waitFor();
    expect(await page.locator('.rows .row').count()).toBe(1);
  });

  it('copies a range with the names of its columns, and counts and sums it', async () => {
    await insertAll(await withTable('Ranges'), people);
    const page = await open(hashOf('Ranges'));
    await rowOf(page, 2).waitFor();
    const copied = await watchCopies(page);
    await rowOf(page, 0).getByText('Ada').click();
    await page.keyboard.press('Shift+ArrowDown');
    await rowOf(page, 1)
      .getByText('1906')
      .click({ modifiers: ['Shift'] });
    await page.getByText('4 cells · sum 3721').waitFor();
    expect(await page.getByRole('gridcell', { selected: true }).count()).toBe(4);
    await page.keyboard.press('Control+c');
    await expect.poll(copied).toBe('name\tborn\nAda\t1815\nGrace\t1906');

    // By the pointer, too.
    await rowOf(page, 0).getByText('Ada').hover();
    await page.mouse.down();
    await rowOf(page, 2).getByText('Alan').hover();
    await page.mouse.up();
    await page.getByText('3 cells').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+c');
    await expect.poll(copied).toBe('Alan');
  });

  it('says that a sum with Doubles has not all digits', async () => {
    const table = await withTable('Summed');
    await table.createEntity({
      partitionKey: 'p',
      rowKey: 'a',
      N: { type: 'Int64', value: '9007199254740993' },
      D: 0.5,
    });
    const page = await open(hashOf('Summed'));
    await rowOf(page, 0).getByText('9007199254740993').click();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('2 cells · sum ≈ 9007199254740990').waitFor({ timeout: 4000 });
  });

  it('has signs for characters that cannot be seen', async () => {
    const table = await withTable('Signs');
    await insertAll(table, [{ partitionKey: 'a b', rowKey: 'c  d', text: ' x\r\ny\u202e' }]);
    const page = await open(hashOf('Signs'));
    await rowOf(page, 0).waitFor();
    expect(await readRow(page, 0)).toMatchObject({ PartitionKey: 'a b', RowKey: 'c··d', text: '·x↵y◌' });
  });

  it('does not move when something is copied', async () => {
    await insertAll(await withTable('Still'), people);
    const page = await open(hashOf('Still'));
    await rowOf(page, 0).waitFor();
    await watchCopies(page);
    const before = await rowOf(page, 0).boundingBox();
    await page.getByRole('grid').focus();
    for (let times = 0; times < 4; times++) await page.keyboard.press('Control+c');
    await page.getByText('Copied').first().waitFor();
    expect(await rowOf(page, 0).boundingBox()).toEqual(before);
  });
});

describeExplorer('The menu', ({ open, hashOf, withTable }) => {
  it('of a cell writes the filter, by the pointer and by the keyboard', async () => {
    await insertAll(await withTable('Filtered'), [
      ...people,
      { partitionKey: "q'", rowKey: 'ax', name: 'Ada', born: 1 },
    ]);
    const page = await open(hashOf('Filtered'));
    await rowOf(page, 3).waitFor();
    const filter = () => new URLSearchParams(page.url().split('?')[1] ?? '').get('filter');
    await rowOf(page, 0).getByText('Ada').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Filter by this value' }).click();
    await rowOf(page, 2).waitFor({ state: 'detached' });
    expect(filter()).toBe("name eq 'Ada'");

    await page.getByRole('grid').focus();
    await rowOf(page, 1).getByText("q'", { exact: true }).click();
    await page.keyboard.press('Shift+F10');
    const menu = page.getByRole('menu', { name: 'PartitionKey' });
    await menu.waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await page.locator('[role=grid]:focus').count()).toBe(1);
    await page.keyboard.press('Shift+F10');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('1815').waitFor();
    expect(filter()).toBe("name eq 'Ada' and PartitionKey ne 'q'''");

    await rowOf(page, 0).getByText('a', { exact: true }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'RowKey begins with this' }).click();
    await expect.poll(filter).toContain("RowKey ge 'a' and RowKey lt 'b'");
    await rowOf(page, 0).getByText('1815').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open this partition' }).click();
    await rowOf(page, 2).waitFor();
    expect(filter()).toBe("PartitionKey eq 'p'");
  });

  it('of a header hides, shows and fits a column, also after a reload', async () => {
    await insertAll(await withTable('Headed'), people);
    const page = await open(hashOf('Headed'));
    await rowOf(page, 2).waitFor();
    const choose = async (column: string, item: string) => {
      await page.locator('.head .cell', { hasText: column }).click({ button: 'right' });
      await page.getByRole('menuitem', { name: item }).click();
    };
    const names = () => page.locator('.grid .head .cell > .text').allInnerTexts();
    await choose('name', 'Hide');
    await expect.poll(names).toEqual(['PartitionKey', 'RowKey', 'born', 'Timestamp']);
    await choose('RowKey', 'Show name');
    await choose('born', 'Fit the width to the values');
    await choose('name', 'Hide');
    await page.reload();
    await rowOf(page, 2).waitFor();
    expect(await names()).toEqual(['PartitionKey', 'RowKey', 'born', 'Timestamp']);
  });

  it('is a sheet with lines for a finger on a phone', async () => {
    await insertAll(await withTable('Touched'), people);
    const page = await open(hashOf('Touched'));
    await page.setViewportSize({ width: 390, height: 844 });
    await rowOf(page, 0).waitFor();
    await rowOf(page, 0).getByText('Ada').click({ button: 'right' });
    const first = page.getByRole('menuitem').first();
    const [menu, line] = [await page.getByRole('menu').boundingBox(), await first.boundingBox()];
    expect(menu?.width).toBe(390);
    expect(menu && menu.y + menu.height).toBe(844);
    expect(line?.height).toBeGreaterThanOrEqual(44);
  });
});

describeExplorer('An edit in a cell', ({ open, hashOf, withTable }) => {
  it('is a draft with each key, until Ctrl+S saves all of the table', async () => {
    const table = await withTable('Edited');
    await insertAll(table, people);
    const page = await open(hashOf('Edited'));
    await rowOf(page, 2).waitFor();
    await rowOf(page, 0).getByText('1815').dblclick();
    const editor = page.getByRole('textbox', { name: 'born, Int32' });
    await editor.fill('eighteen');
    await expect.poll(() => editor.getAttribute('aria-description')).toBe('Write an integer.');
    await page.keyboard.press('Enter');
    expect(await page.locator('.cell.wrong .text').textContent()).toBe('eighteen');

    // It is there after a reload, and the service has the old value.
    await page.reload();
    await rowOf(page, 2).waitFor();
    expect(await page.locator('.cell.wrong .text').textContent()).toBe('eighteen');
    expect((await table.getEntity('p', 'a'))['born']).toBe(1815);
    await page.locator('.cell.wrong').click();
    await page.keyboard.type('1816');
    await page.keyboard.press('Enter');
    await page.keyboard.press('F2');
    await page.keyboard.press('End');
    await page.keyboard.type('7');
    await page.keyboard.press('Escape');
    expect((await readRow(page, 1))['born']).toBe('1906');

    await rowOf(page, 0).getByText('Ada').click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.type('All');
    await page.keyboard.press('Control+Enter');
    expect(await page.locator('.cell.changed').count()).toBe(4);
    await page.keyboard.press('Control+s');
    await expect.poll(() => page.locator('.cell.changed').count()).toBe(0);
    expect(await table.getEntity('p', 'a')).toMatchObject({ name: 'All', born: 1816 });
    expect(await table.getEntity('p', 'c')).toMatchObject({ name: 'All' });
  });

  it('is taken back by Ctrl+Z, and Backspace removes a property without the loss of those that a query leaves out', async () => {
    const table = await withTable('Removed');
    await insertAll(table, people);
    const page = await open(hashOf('Removed', '?select=born'));
    await rowOf(page, 2).waitFor();
    await rowOf(page, 1).getByText('1906').click();
    await page.keyboard.press('Backspace');
    await page.locator('.cell.changed').waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.cell.changed').waitFor({ state: 'detached' });
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').first().waitFor();
    const saved = await table.getEntity('p', 'b');
    expect([saved['name'], saved['born']]).toEqual(['Grace', undefined]);
  });

  it('stays at its entity while the rows above it come and go', async () => {
    const table = await withTable('Moved');
    await insertAll(table, people);
    const page = await open(hashOf('Moved'));
    await rowOf(page, 1).getByText('Grace').dblclick();
    const field = page.locator('.cell-editor textarea');
    await field.fill('Ann');
    await table.createEntity({ partitionKey: 'o', rowKey: '1', name: 'Zoe' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.evaluate(`document.querySelector('.news').click()`);
    await rowOf(page, 0).getByText('Zoe').waitFor();
    expect(await page.evaluate('document.activeElement.value')).toBe('Ann');
    await page.keyboard.type('e');
    expect([await readRow(page, 1), await readRow(page, 2)]).toMatchObject([{ name: 'Ada' }, { RowKey: 'b' }]);
    expect(await field.inputValue()).toBe('Anne');
    await page.keyboard.press('Escape');
    expect(await readRow(page, 2)).toMatchObject({ RowKey: 'b', name: 'Grace' });
    expect(await page.getByText('Not saved').count()).toBe(0);

    await page.keyboard.press('Shift+ArrowDown');
    await table.deleteEntity('o', '1');
    await page.getByRole('button', { name: '1 deleted' }).click();
    await expect.poll(() => rowOf(page, 1).locator('.in-range').count()).toBe(1);
    expect(await readRow(page, 1)).toMatchObject({ RowKey: 'b' });
    expect(await page.locator('.in-range').count()).toBe(2);
  });

  it('stays at its property while programs add, remove and order properties', async () => {
    const table = await withTable('Ordered');
    await table.createEntity({ partitionKey: 'p', rowKey: 'a', Name: 'Ada', Born: 1815 });
    const page = await open(hashOf('Ordered'));
    await rowOf(page, 0).getByText('Ada').dblclick();
    const field = page.locator('.cell-editor textarea');
    await field.fill('Ann');
    await table.updateEntity({ partitionKey: 'p', rowKey: 'a', Born: 1816, Age: 36 }, 'Merge');
    await rowOf(page, 0).getByText('1816').waitFor();
    await page.keyboard.type('e');
    expect(await readRow(page, 0)).toMatchObject({ Born: '1816', Age: '36' });
    expect(await field.inputValue()).toBe('Anne');
    await table.updateEntity({ partitionKey: 'p', rowKey: 'a', Age: 37 }, 'Replace');
    await rowOf(page, 0).getByText('37').waitFor();
    await page.keyboard.type('!');
    expect(await field.inputValue()).toBe('Anne!');
    expect(await readRow(page, 0)).toMatchObject({ Born: '—', Age: '37' });
  });

  it('keeps its text and the other drafts when the service rejects one of them', async () => {
    const table = await withTable('Conflicted');
    await insertAll(table, people);
    const page = await open(hashOf('Conflicted'));
    await rowOf(page, 2).waitFor();
    await rowOf(page, 0).getByText('Ada').click();
    await page.keyboard.type('Mine');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Mine');
    await page.keyboard.press('Enter');
    await table.updateEntity({ partitionKey: 'p', rowKey: 'a', name: 'Theirs' }, 'Merge');
    await page.keyboard.press('Control+s');
    await page.getByRole('alert').getByText('p / a: Someone else has changed name, too.').waitFor();
    await expect.poll(async () => (await table.getEntity('p', 'b'))['name']).toBe('Mine');
    // The page may still show the other draft, which has the same text.
    await rowOf(page, 0).locator('.cell.changed').getByText('Mine').click();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(async () => (await table.getEntity('p', 'a'))['name']).toBe('Mine');
  });
});

describeExplorer('Pasted rows', ({ open, hashOf, withTable }) => {
  it('with names are changes of the entities with their keys, and new entities', async () => {
    const table = await withTable('Pasted');
    await insertAll(table, people);
    const page = await open(hashOf('Pasted'));
    await rowOf(page, 2).waitFor();
    await page.getByRole('grid').focus();
    await paste(page, 'RowKey\tborn\tname\tPartitionKey\nb\t1907\t\tp\nx\tlate\tNew\tp\n');
    await expect.poll(async () => (await readRow(page, 0))['RowKey']).toBe('x');
    expect((await readRow(page, 2))['born']).toBe('1907');
    // A wrong type keeps its text.
    expect(await page.locator('.cell.wrong .text').textContent()).toBe('late');
    await page.keyboard.press('Control+s');
    await page.getByText('1 draft is not saved').waitFor();
    await expect.poll(async () => (await table.getEntity('p', 'b'))['born']).toBe(1907);
    await page.locator('.cell.wrong').dblclick();
    await page.getByRole('textbox', { name: 'born, Int32' }).fill('2000');
    await page.keyboard.press('Control+s');
    await expect.poll(() => page.locator('.cell.changed').count()).toBe(0);
    expect(await table.getEntity('p', 'x')).toMatchObject({ born: 2000, name: 'New' });
  });

  it('without names are for the cells from the active one on, and one value is for the whole range', async () => {
    const table = await withTable('Placed');
    await insertAll(table, people);
    const page = await open(hashOf('Placed'));
    await rowOf(page, 2).waitFor();
    await rowOf(page, 1).getByText('1906').click();
    await paste(page, '1\n2');
    expect((await readRow(page, 1))['born']).toBe('1');
    expect((await readRow(page, 2))['born']).toBe('2');
    await page.keyboard.press('Control+ArrowUp');
    await page.keyboard.press('Shift+ArrowDown');
    await paste(page, '7');
    expect((await readRow(page, 0))['born']).toBe('7');
    expect((await readRow(page, 1))['born']).toBe('7');
    expect((await readRow(page, 2))['born']).toBe('2');
    expect((await table.getEntity('p', 'a'))['born']).toBe(1815);
  });

  it('never change another RowKey than theirs, change nothing from the header on, and tell of cells without a column', async () => {
    await insertAll(await withTable('Keyed'), people);
    const page = await open(hashOf('Keyed', '?sort=-RowKey'));
    await rowOf(page, 0).getByText('Alan').click();
    await paste(page, 'RowKey\tname\na\tAda L.\nx\tNew');
    expect(await readRow(page, 0)).toMatchObject({ PartitionKey: 'p', RowKey: 'x', name: 'New' });
    expect(await readRow(page, 1)).toMatchObject({ RowKey: 'c', name: 'Alan' });
    expect(await readRow(page, 3)).toMatchObject({ RowKey: 'a', name: 'Ada L.' });

    await page.getByRole('columnheader', { name: 'born' }).click();
    await paste(page, '5');
    expect(await readRow(page, 1)).toMatchObject({ RowKey: '(empty)', born: '5' });
    expect(await readRow(page, 2)).toMatchObject({ RowKey: 'c', born: '—' });

    await rowOf(page, 2).locator('.cell').last().click();
    await paste(page, '1\t2\t3');
    await page.getByText('2 cells are not pasted').waitFor();
  });
});
