import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { insertAll } from '../support/bodies/insert-all.js';
import { readRow, rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

/** An order with keys and twelve properties. */
const order = (at: number) => ({
  partitionKey: `customer-${String(Math.floor(at / 20)).padStart(3, '0')}`,
  rowKey: `order-${String(at).padStart(5, '0')}`,
  ...{
    City: ['Oslo', 'Lisboa'][at % 2],
    Currency: 'EUR',
    Items: at % 9,
    Name: 'Grace Hopper',
    Note: 'Deliver before noon',
  },
  ...{ Paid: at % 2 === 0, Placed: new Date(1.76e12 + at), Status: 'open', Total: at * 9.99, Weight: at / 7 },
  ...{ Tracking: { type: 'Int64', value: String(9007199254740993n + BigInt(at)) }, Email: `${at}@example.com` },
});

/** Returns how many rows lie wholly within the grid, and how many properties besides the keys and Timestamp. */
async function shownIn(page: Page): Promise<{ readonly rows: number; readonly properties: number }> {
  return page.evaluate(`(() => {
    const box = (element) => element.getBoundingClientRect();
    const grid = box(document.querySelector('[role=grid]'));
    const heads = [...document.querySelectorAll('[role=columnheader]')];
    const below = Math.max(...heads.map((head) => box(head).bottom));
    const left = Math.max(grid.left, ...heads.filter((head) => head.matches('.frozen')).map((head) => box(head).right));
    const rows = [...document.querySelectorAll('.rows [role=row]')].map(box);
    const names = heads.filter((head) => box(head).left >= left - 1 && box(head).right <= grid.right + 1);
    return {
      rows: rows.filter(({ top, bottom }) => top >= below - 1 && bottom <= grid.bottom + 1).length,
      properties: names.map((head) => head.querySelector('.text').textContent).filter((name) => !/Key$|^Timestamp$/.test(name)).length,
    };
  })()`);
}

/** Returns how much wider the page is than the window, and where it is. Unit: CSS pixels. */
function beyond(page: Page): Promise<number> {
  return page.evaluate<number>(
    'Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth',
  );
}

describeExplorer('The window', ({ open, hashOf, withTable }) => {
  const openOrders = async (name: string) => {
    await insertAll(
      await withTable(name),
      Array.from({ length: 120 }, (_, at) => order(at)),
    );
    const page = await open(hashOf(name));
    await rowOf(page, 0).waitFor();
    return page;
  };

  it('is for the data: 24 rows at 1280 × 800, and rows of an open entity', async () => {
    const page = await openOrders('Large');
    const { rows, properties } = await shownIn(page);
    expect(rows).toBeGreaterThanOrEqual(24);
    expect(properties).toBeGreaterThanOrEqual(2);
    expect((await page.getByRole('search').boundingBox())?.height).toBeLessThanOrEqual(40);
    expect((await page.locator('.status-line').boundingBox())?.height).toBe(28);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Entity', exact: true }).waitFor();
    expect((await shownIn(page)).rows).toBeGreaterThanOrEqual(24);
    expect((await page.getByRole('search').boundingBox())?.height).toBeLessThanOrEqual(40);
  });

  it.each([
    ['320 px, as at 400 % zoom', 320, 640, 8],
    ['390 × 844', 390, 844, 14],
    ['640 × 400, as at 200 % zoom', 640, 400, 7],
    ['800 × 600', 800, 600, 14],
  ])('has rows and nothing beside it at %s', async (_name, width, height, least) => {
    const page = await openOrders(`At${width}`);
    await page.setViewportSize({ width, height });
    await expect.poll(async () => (await shownIn(page)).rows).toBeGreaterThanOrEqual(least);
    expect(await beyond(page)).toBeLessThanOrEqual(0);
    const opener = page.getByRole('button', { name: 'Filter', exact: true });
    if (await opener.isVisible()) await opener.click();
    await page.getByRole('combobox', { name: '$filter' }).click();
    expect(await beyond(page)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: `Actions for At${width}` }).click();
    await page.getByRole('menu').waitFor();
    expect(await beyond(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press('Escape');
    for (const tab of ['Requests', 'Coach', 'State', 'Connect']) {
      await page.getByRole('link', { name: tab, exact: true }).click();
      await page.locator(`#content[data-tab=${tab.toLowerCase()}] > :not(h1)`).first().waitFor();
      expect(await beyond(page), tab).toBeLessThanOrEqual(0);
    }
  });

  it('has a menu of tables at the name where there is no list', async () => {
    await withTable('Another');
    const page = await openOrders('Narrowed');
    expect(await page.getByRole('navigation', { name: 'Tables' }).isVisible()).toBe(true);
    await page.setViewportSize({ width: 800, height: 600 });
    await page.getByRole('navigation', { name: 'Tables' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Narrowed', exact: true }).press('Enter');
    await page.getByRole('menuitemradio', { name: 'Another' }).press('Enter');
    await page.getByText('This table is empty').waitFor();
    await page.getByRole('button', { name: 'Another', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'All tables' }).press('Enter');
    await page.getByRole('link', { name: /^Narrowed/ }).click();
    await rowOf(page, 0).waitFor();
  });
});

describeExplorer('The list of tables', ({ open, hashOf, withTable }) => {
  it('is one stop of Tab, in which arrows move', async () => {
    for (const name of ['Aa1', 'Bb1', 'Cc1']) await withTable(name);
    const page = await open(hashOf('Bb1'));
    await page.getByRole('link', { name: /^Bb1/ }).waitFor();
    const focused = (name: RegExp) => page.getByRole('link', { name }).and(page.locator(':focus')).waitFor();
    await page.getByLabel('Find a table').press('Tab');
    await focused(/^Bb1/);
    await page.keyboard.press('ArrowDown');
    await focused(/^Cc1/);
    await page.keyboard.press('Home');
    await focused(/^Aa1/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).toMatch(/^Aa1/);
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Aa1', exact: true }).and(page.locator(':focus')).waitFor();
  });
});

describeExplorer('The fields for the keys', ({ open, hashOf, withTable }) => {
  it('find without OData, and show what the filter says about the keys', async () => {
    const table = await withTable('Found');
    await insertAll(
      table,
      ['a1', 'a2', 'a\uffff', 'b1', "c'*"].map((rowKey, at) => ({ partitionKey: 'p', rowKey, Age: at })),
    );
    const page = await open(hashOf('Found'));
    await rowOf(page, 4).waitFor();
    const [partition, row] = [
      page.getByLabel('PartitionKey', { exact: true }),
      page.getByLabel('RowKey', { exact: true }),
    ];
    const filter = page.getByRole('combobox', { name: '$filter' });
    const rows = async () => {
      const count = await page.locator('.rows .row').count();
      return Promise.all(Array.from({ length: count }, async (_, at) => (await readRow(page, at))['RowKey']));
    };

    const goTo = (text: string) => {
      const hash = hashOf('Found', `?${new URLSearchParams({ filter: text })}`);
      return page.evaluate(`location.hash = ${JSON.stringify(`#${hash}`)}`);
    };

    await partition.fill('p');
    await row.fill('a*');
    expect(await filter.inputValue()).toBe("PartitionKey eq 'p' and RowKey ge 'a' and RowKey lt 'b'");
    await row.press('Enter');
    await expect.poll(rows).toEqual(['a1', 'a2', 'a\uffff']);

    await row.pressSequentially('..a1');
    expect(await row.inputValue()).toBe('a*..a1');
    await row.fill('a2..b1');
    await row.press('Enter');
    await expect.poll(rows).toEqual(['a2', 'a\uffff', 'b1']);

    await row.fill("c'\\*");
    await row.press('Enter');
    await expect.poll(rows).toEqual(["c'*"]);

    await goTo("RowKey ge 'a' and RowKey lt 'b' and Age gt 0");
    await expect.poll(rows).toEqual(['a2', 'a\uffff']);
    expect([await partition.inputValue(), await row.inputValue()]).toEqual(['', 'a*']);
    await partition.fill('x');
    expect(await filter.inputValue()).toBe("PartitionKey eq 'x' and RowKey ge 'a' and RowKey lt 'b' and Age gt 0");
    await row.fill('');
    expect(await filter.inputValue()).toBe("PartitionKey eq 'x' and Age gt 0");

    await goTo("RowKey eq 'a1' or Age gt 3");
    await expect.poll(rows).toEqual(['a1', "c'*"]);
    expect([await partition.inputValue(), await row.inputValue()]).toEqual(['', '']);
  });
});

describeExplorer('The keyboard', ({ open, hashOf, withTable }) => {
  /** Presses a key until the focus is in another region, and returns that. */
  const leave = async (page: Page, key: string): Promise<string> => {
    const region = () =>
      page.evaluate<string>(
        `document.activeElement?.closest('.bar, .tables, search, [role=grid], .status-line, .panel')?.className.split(' ')[0] ?? ''`,
      );
    const before = await region();
    for (let presses = 0; presses < 20 && (await region()) === before; presses++) await page.keyboard.press(key);
    return region();
  };

  it('walks from the skip link through bar, list, query, grid and status line, into an open entity and back', async () => {
    const table = await withTable('Walked');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'Ada' });
    for (const name of ['Other1', 'Other2', 'Other3']) await withTable(name);
    const page = await open(hashOf('Walked'));
    await rowOf(page, 0).waitFor();
    await page.getByRole('region', { name: 'Cost of the query' }).waitFor();
    const focused = (role: 'button' | 'main' | 'grid', name?: string) =>
      page
        .getByRole(role, { ...(name !== undefined && { name }) })
        .and(page.locator(':focus'))
        .waitFor();

    await page.keyboard.press('Tab');
    await focused('button', 'Skip to the content');
    const walked = [];
    for (let steps = 0; steps < 4; steps++) walked.push(await leave(page, 'Tab'));
    expect(walked).toEqual(['tables', 'query-line', 'grid', 'status-line']);
    expect(await leave(page, 'Shift+Tab')).toBe('grid');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Entity', exact: true }).waitFor();
    await page.locator('.panel :focus').waitFor();
    await page.keyboard.press('Tab');
    await page.locator('.panel :focus').waitFor();
    await page.keyboard.press('Escape');
    await focused('grid');
    expect(await leave(page, 'Shift+Tab')).toBe('query-line');

    await page.getByRole('button', { name: 'Skip to the content' }).press('Enter');
    await focused('main');
  });
});

describeExplorer('Under forced colors', ({ open, hashOf, withTable }) => {
  it('the current tab and table, the active cell, a range and a pressed button have their own look', async () => {
    const table = await withTable('Forced');
    await insertAll(
      table,
      ['a', 'b', 'c'].map((rowKey) => ({ partitionKey: 'p', rowKey })),
    );
    await withTable('Other');
    const page = await open(hashOf('Forced'));
    await page.emulateMedia({ forcedColors: 'active' });
    await rowOf(page, 2).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Shift+ArrowDown');
    const looks = (selector: string) =>
      page.evaluate<string>(`(() => {
        const { outlineStyle, outlineColor, backgroundColor, color } = getComputedStyle(document.querySelector(${JSON.stringify(selector)}));
        return [outlineStyle, outlineColor, backgroundColor, color].join();
      })()`);
    for (const [one, other] of [
      ['.tabs [aria-current]', '.tabs a:not([aria-current])'],
      ['.tables [aria-current]', '.tables a:not([aria-current])'],
      ['.rows .cell.active', '.rows .row:last-child .cell.active ~ .cell, .rows .row:last-child .cell:last-child'],
      ['.rows .cell.in-range', '.rows .row:last-child .cell:last-child'],
    ] as const) {
      expect(await looks(one), one).not.toBe(await looks(other));
    }
    await page.keyboard.press('Enter');
    await page.locator('[aria-pressed=true]').first().waitFor();
    expect(await looks('[aria-pressed=true]')).toContain('solid');
  });
});
