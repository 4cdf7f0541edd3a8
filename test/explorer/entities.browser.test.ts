import { expect, it } from 'vitest';
import { insertAll } from '../support/bodies/insert-all.js';
import { chooseAction, rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';
import { requestOf } from '../support/pages/request-lines.js';

/** Values of each type at the end of what it can hold: the name, the type as the form names it, and the text. */
const extremes: readonly (readonly [name: string, type: string, text: string])[] = [
  ['Text', 'String', ''],
  ['Flag', 'Boolean', 'true'],
  ['Small', 'Int32', '-2147483648'],
  ['Large', 'Int64', '9223372036854775807'],
  ['Whole', 'Double', '1.0'],
  ['None', 'Double', 'NaN'],
  ['Endless', 'Double', '-Infinity'],
  ['First', 'DateTime', '1601-01-01T00:00:00Z'],
  ['Last', 'DateTime', '9999-12-31T23:59:59.9999999Z'],
  ['Id', 'Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
  ['Bytes', 'Binary', ''],
];

describeExplorer('Entities', ({ open, hashOf, withTable }) => {
  it('are inserted with each type at its extremes, and are the same for the SDK [2, 21]', async () => {
    const table = await withTable('Typed');
    const page = await open(hashOf('Typed'));
    await page.getByRole('button', { name: 'Insert an entity' }).click();
    const panel = page.getByRole('region', { name: 'New entity' });
    await panel.getByLabel('PartitionKey').waitFor();
    // The keyboard alone does the rest.
    await page.keyboard.insertText('p');
    await page.keyboard.press('Tab');
    await page.keyboard.insertText('r');
    for (const [name, type, text] of extremes) {
      await panel.getByLabel('Name of a new property').focus();
      await page.keyboard.insertText(name);
      await page.keyboard.press('Enter');
      const field = panel.locator('.field').last();
      await field.getByLabel(`Type of ${name}`).selectOption(`Edm.${type}`);
      const value = field.getByLabel(`Value of ${name}`);
      expect(await value.and(page.locator(':focus')).count()).toBe(1);
      await value.fill(text);
    }
    await page.keyboard.press('Control+Enter');
    await panel.waitFor({ state: 'detached' });
    await rowOf(page, 0).waitFor();

    const entity = await table.getEntity('p', 'r', { disableTypeConversion: true });
    for (const [name, , text] of extremes) {
      const value: unknown = entity[name];
      const read = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
      expect([name, String(read)]).toEqual([name, name === 'Whole' ? expect.stringMatching(/^1(?:\.0)?$/) : text]);
    }

    await page.reload();
    await rowOf(page, 0).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    // The dialog gives the focus back when it goes.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    const opened = page.getByRole('region', { name: 'Entity', exact: true });
    await opened.waitFor();
    for (const [name, , text] of extremes) {
      expect([name, await opened.getByLabel(`Value of ${name}`).inputValue()]).toEqual([name, text]);
    }
  });

  it('that could not be loaded are asked for again with the same key', async () => {
    const table = await withTable('Retried');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'Ada' });
    const page = await open(hashOf('Retried'));
    await rowOf(page, 0).waitFor();
    const asked = /RowKey=(?:'|%27)r/;
    await page.route(asked, (route) => route.abort());
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.unroute(asked);
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Value of Name').inputValue()).toBe('Ada');
  });

  it.each(['Keep mine', 'Take theirs'])(
    'changed by someone else in the meantime show the difference: %s [8]',
    async (choice) => {
      const table = await withTable(choice.replace(' ', ''));
      await table.createEntity({ partitionKey: 'p', rowKey: 'r', Name: 'old', Size: 1 });
      const page = await open(hashOf(table.tableName));
      await rowOf(page, 0).waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Value of Name').fill('mine');
      await table.updateEntity({ partitionKey: 'p', rowKey: 'r', Name: 'theirs' }, 'Merge');
      await page.getByRole('button', { name: 'Save' }).click();

      const conflict = page.getByRole('alert', { name: 'Conflict' });
      await conflict.getByText('Someone else has changed Name, too.').waitFor();
      await page.getByText('Theirs: theirs, when opened: old').waitFor();
      expect(await page.getByLabel('Value of Name').inputValue()).toBe('mine');
      await conflict.getByRole('button', { name: choice }).click();
      await conflict.waitFor({ state: 'detached' });
      if (choice === 'Keep mine') await page.getByText('Saved.').waitFor();
      const wanted = choice === 'Keep mine' ? 'mine' : 'theirs';
      expect((await table.getEntity('p', 'r'))['Name']).toBe(wanted);
      await page.locator('.rows').getByText(wanted).waitFor();
    },
  );

  it('have a history that leads to the requests that wrote them', async () => {
    const table = await withTable('remembered');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Size: 1 });
    await table.createEntity({ partitionKey: 'p', rowKey: 's', Size: 1 });
    await table.updateEntity({ partitionKey: 'p', rowKey: 'r', Size: 2 }, 'Merge');
    const page = await open(hashOf(table.tableName));
    await rowOf(page, 0).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'Entity' });
    await panel.getByRole('button', { name: 'History' }).click();
    await panel.locator('.things li').nth(1).waitFor();
    expect(await panel.locator('.things li .mark').allTextContents()).toEqual(['merge', 'as it is now', 'insert']);

    await panel.getByRole('link', { name: 'Request' }).last().click();
    await requestOf(page).getByRole('heading', { name: 'InsertEntity' }).waitFor();
  });

  it('are cloned to another key, and a conflict with an existing key is reported at its field [9]', async () => {
    const table = await withTable('Cloned');
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', Size: 7 });
    const page = await open(hashOf('Cloned'));
    await rowOf(page, 0).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Clone' }).click();
    await page.getByRole('button', { name: 'Insert', exact: true }).click();
    expect(await page.locator('#RowKey-fault').textContent()).toBe('The specified entity already exists.');

    await page.locator('.panel').getByLabel('RowKey').fill('s');
    await page.getByRole('button', { name: 'Insert', exact: true }).click();
    await page.getByText('Inserted.').first().waitFor();
    expect((await table.getEntity('p', 's'))['Size']).toBe(7);
  });

  it('that a query finds are deleted, and undone with the same ETags [11]', async () => {
    const table = await withTable('Undone');
    const rows = Array.from({ length: 1500 }, (_, at) => ({
      partitionKey: 'p',
      rowKey: String(at).padStart(4, '0'),
      Old: true,
    }));
    await insertAll(table, [...rows, { partitionKey: 'p', rowKey: 'kept', Old: false }]);
    const before = (await table.getEntity('p', '0777')).etag;
    const page = await open(hashOf('Undone', `?filter=${encodeURIComponent('Old eq true')}`));
    await rowOf(page, 0).waitFor();
    await chooseAction(page, 'Delete the results…');
    await page.getByLabel('Type the table name, Undone').fill('Undone');
    await page.getByRole('button', { name: 'Delete all matching entities' }).click();
    await page.getByText('Deleted 1,500 entities.').waitFor();
    await page.getByText('No entity matches the filter').waitFor();
    expect(await table.getEntity('p', 'kept')).toMatchObject({ Old: false });

    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await rowOf(page, 0).waitFor();
    expect((await table.getEntity('p', '0777')).etag).toBe(before);
  });
});
