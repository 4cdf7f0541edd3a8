import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { insertAll } from '../support/bodies/insert-all.js';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

/** Widths of a phone, a small window and a screen. Unit: CSS pixels. */
const widths = [390, 800, 1280];

/** Whether the active cell lies within the grid and nothing covers its middle. */
async function isActiveCellVisible(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const cell = document.querySelector('.cell.active')?.getBoundingClientRect();
    const grid = document.querySelector('.grid').getBoundingClientRect();
    if (!cell) return false;
    const hit = document.elementFromPoint((cell.left + cell.right) / 2, (cell.top + cell.bottom) / 2);
    const isWithin = cell.left >= grid.left - 1 && cell.right <= grid.right + 1 && cell.bottom <= grid.bottom + 1;
    return isWithin && hit !== null && hit.closest('.cell.active') !== null;
  })()`);
}

const wide = (at: number) => ({
  partitionKey: 'p',
  rowKey: String(at).padStart(4, '0'),
  ...Object.fromEntries(Array.from({ length: 12 }, (_, column) => [`Property${column}`, `value ${at}`])),
});

describeExplorer('The page in a small window', ({ open }) => {
  it('is as wide as the window, on every tab', async () => {
    const page = await open('/devstoreaccount1/connect');
    await page.setViewportSize({ width: 390, height: 800 });
    for (const tab of ['Requests', 'Coach', 'State', 'Connect']) {
      await page.getByRole('link', { name: tab }).click();
      await page.locator(`#content[data-tab=${tab.toLowerCase()}] > :not(h1)`).first().waitFor();
      const content = "document.getElementById('content')";
      const beyond = await page.evaluate<number>(`${content}.scrollWidth - ${content}.clientWidth`);
      expect(beyond, tab).toBeLessThanOrEqual(0);
    }
  });
});

describeExplorer('The grid at any width', ({ open, hashOf, withTable }) => {
  it(`has only the rows in the document that can be seen, at ${widths} px`, async () => {
    const table = await withTable('Rows');
    await insertAll(
      table,
      Array.from({ length: 1000 }, (_, at) => ({ partitionKey: 'p', rowKey: String(at).padStart(4, '0') })),
    );
    const page = await open(hashOf('Rows'));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await rowOf(page, 0).waitFor();
      expect(await page.locator('.grid .rows .row').count(), `${width}`).toBeLessThan(80);

      await page.getByRole('grid').focus();
      await page.keyboard.press('Control+End');
      await rowOf(page, 999).waitFor();
      await expect.poll(() => isActiveCellVisible(page), { message: `${width}` }).toBe(true);
      expect(await page.locator('.grid .rows .row').count(), `${width}`).toBeLessThan(80);
      expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(800);
      await page.keyboard.press('Control+Home');
    }
  });

  it(`keeps the active cell in sight, by End, Home and arrows, at ${widths} px`, async () => {
    const table = await withTable('Cells');
    await insertAll(
      table,
      Array.from({ length: 40 }, (_, at) => wide(at)),
    );
    const page = await open(hashOf('Cells'));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await rowOf(page, 0).waitFor();
      await page.getByRole('grid').focus();
      for (const key of ['End', 'ArrowDown', 'ArrowLeft', 'ArrowLeft', 'PageDown', 'ArrowUp', 'Home', 'End']) {
        await page.keyboard.press(key);
        await expect.poll(() => isActiveCellVisible(page), { message: `${key}, ${width}` }).toBe(true);
      }
      await page.keyboard.press('Control+Home');
    }
  });

  it('shows no text of a column through the frozen heads when it is scrolled right', async () => {
    const table = await withTable('Frozen');
    await insertAll(table, [wide(0)]);
    const page = await open(hashOf('Frozen'));
    await rowOf(page, 0).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    const colors = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.grid .head .frozen')].map((cell) => getComputedStyle(cell).backgroundColor)`,
    );
    expect(colors.length).toBeGreaterThan(1);
    for (const color of colors) expect(color).not.toMatch(/transparent|, 0\)$/);
  });
});
