import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

/**
 * What the scripts below use. `drawn` ends when the page has drawn what an event has changed, before any later event; `later` ends
 * two frames after that, when everything that was put off is done.
 */
const tools = `
  const press = (key, more) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }));
  const openKeys = () => press('?');
  const drawn = () => new Promise(queueMicrotask);
  const frame = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
  const later = () => frame().then(frame);
  const closeOf = (dialog) => new Promise((heard) => dialog.addEventListener('close', heard));
  const focused = () => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent;
`;

/** Does several things in a page without a pause in which it could put off work. Returns what the script returns. */
function atOnce(page: Page, script: string): Promise<unknown> {
  return page.evaluate(`(async () => { ${tools} ${script} })()`);
}

describeExplorer('A key', ({ open, hashOf, withTable }) => {
  it('is heard from the first draw on', async () => {
    const page = await open();
    await page.addInitScript(`
      new MutationObserver((_, observer) => {
        if (!document.querySelector('header.bar')) return;
        observer.disconnect();
        dispatchEvent(new KeyboardEvent('keydown', { key: '?' }));
      }).observe(document, { childList: true, subtree: true });
    `);
    await page.reload();
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  it('opens a dialog again before the browser has said that it is closed', async () => {
    const page = await open();
    await page.locator('header.bar').waitFor();
    const isOpen = await atOnce(
      page,
      `openKeys();
       await later();
       const dialog = document.querySelector('dialog');
       const closed = closeOf(dialog);
       dialog.requestClose();
       await drawn();
       openKeys();
       await closed;
       await later();
       return document.querySelector('dialog')?.open;`,
    );
    expect(isOpen).toBe(true);
  });

  it('goes where the user went, also after a dialog has said that it is closed', async () => {
    const page = await open();
    await page.locator('header.bar').waitFor();
    const found = await atOnce(
      page,
      `document.querySelector('a').focus();
       press('?');
       await later();
       const dialog = document.querySelector('dialog');
       const closed = closeOf(dialog);
       dialog.requestClose();
       await drawn();
       const first = focused();
       document.querySelector('header [aria-label=Keys]').focus();
       await closed;
       await later();
       return [first, focused()];`,
    );
    expect(found).toEqual(['Data', 'Keys']);
  });

  it('is written into the filter after the one that goes there', async () => {
    await withTable('Written');
    const page = await open(hashOf('Written'));
    const filter = page.getByRole('combobox', { name: '$filter' });
    await filter.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Size eq 1');
    expect(await filter.inputValue()).toBe('Size eq 1');
  });

  it('goes to the entity that was opened last, also if another one is answered later', async () => {
    const table = await withTable('Entities');
    for (const rowKey of ['a', 'b']) await table.createEntity({ partitionKey: 'p', rowKey });
    const page = await open(hashOf('Entities'));
    let answer = () => {};
    const wanted = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const first = /RowKey=(?:'|%27)a/;
    await page.route(first, async (route) => {
      await wanted;
      await route.continue();
    });
    await rowOf(page, 1).waitFor();
    await page.getByRole('grid').focus();
    for (const key of ['Enter', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    const key = page.getByRole('region', { name: 'Entity', exact: true }).getByLabel('RowKey');
    await key.waitFor();
    const answered = page.waitForResponse(first);
    answer();
    await (await answered).finished();
    await atOnce(page, 'await later();');
    expect(await key.inputValue()).toBe('b');
  });

  it('goes to a field of an entity as soon as it is shown', async () => {
    const table = await withTable('Fields');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'Ada' });
    const page = await open(hashOf('Fields'));
    await page.getByRole('button', { name: 'New entity' }).waitFor();
    const found = await atOnce(
      page,
      `document.querySelector('[aria-label="New entity"]').click();
       await drawn();
       return document.activeElement.id;`,
    );
    expect(found).toBe('key-PartitionKey');
  });

  it('moves in a menu that is redrawn', async () => {
    const table = await withTable('Menus');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Size: 1 });
    const page = await open(hashOf('Menus'));
    await rowOf(page, 0).waitFor();
    await page.getByRole('button', { name: 'Actions for Menus' }).click();
    await page.keyboard.press('ArrowDown');
    const second = await atOnce(page, 'return focused();');
    const answered = page.waitForResponse(/filter=/);
    await page.evaluate(`location.hash = '#${hashOf('Menus', '?filter=Size%20eq%202')}'`);
    await (await answered).finished();
    await page.getByText('No entity matches the filter').waitFor();
    expect(await atOnce(page, 'return focused();')).toBe(second);
  });
});
