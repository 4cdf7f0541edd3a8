import type { Page } from 'playwright-core';

/** Returns the texts of the cells of a row of the grid that can be seen, by the names of their columns. Rows count from 0. */
export async function readRow(page: Page, row: number): Promise<Record<string, string>> {
  const names = await page.locator('.grid .head [role=columnheader] > .text').allInnerTexts();
  const cells = await page.locator(`[role=row][aria-rowindex="${row + 2}"] .cell`).allInnerTexts();
  return Object.fromEntries(cells.map((text, at) => [names[at] ?? '', text.split('\n')[0] ?? '']));
}

/** Returns the row of the grid with this position, from 0. */
export function rowOf(page: Page, row: number) {
  return page.locator(`[role=row][aria-rowindex="${row + 2}"]`);
}

/** Chooses an action for the table that is shown, in its menu. */
export async function chooseAction(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menuitem', { name: label }).click();
}

/** Writes a filter into the editor, in place of the one that is there. */
export async function writeFilter(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('combobox', { name: '$filter' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}
