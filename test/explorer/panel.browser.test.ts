import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

const row = { partitionKey: 'p', rowKey: 'r' };
const nameField = (page: Page) => page.getByLabel('Value of Name');
const panelOf = (page: Page) => page.getByRole('region', { name: 'Entity', exact: true });

async function openFirst(page: Page): Promise<void> {
  await rowOf(page, 0).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await panelOf(page).waitFor();
}

/** Returns the address of an entity, which is a link to it. */
const linkTo = (keys: readonly string[]) => `?row=${encodeURIComponent(JSON.stringify(keys))}`;

describeExplorer('The panel of an entity', ({ open, hashOf, withTable }) => {
  it('closes by Back, which leaves the table only after it', async () => {
    const table = await withTable('Backed');
    await table.createEntity({ ...row, Name: 'Ada' });
    await table.createEntity({ partitionKey: 'p', rowKey: 's', Name: 'Grace' });
    await withTable('Before');
    const page = await open(hashOf('Before'));
    await page.getByText('This table is empty').waitFor();
    await page.getByRole('link', { name: /^Backed/ }).click();
    await openFirst(page);
    await page.goBack();
    await panelOf(page).waitFor({ state: 'detached' });
    await rowOf(page, 1).waitFor();

    // A second entity takes the place of the first one, and Back skips a closed panel.
    await openFirst(page);
    await rowOf(page, 1).locator('.cell').nth(1).dblclick();
    await expect.poll(() => nameField(page).inputValue()).toBe('Grace');
    await page.keyboard.press('Escape');
    await openFirst(page);
    await page.keyboard.press('Escape');
    await panelOf(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Backed/ }).click();
    await openFirst(page);
    await page.keyboard.press('Escape');
    await panelOf(page).waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('heading', { name: 'Before', level: 1 }).waitFor();
  });

  it('opens from a link, keeps its place over a reload, and is wider in a wide window', async () => {
    const table = await withTable('Linked');
    await table.createEntity({ ...row, Name: 'Ada' });
    const page = await open(hashOf('Linked', linkTo(['p', 'r'])));
    await page.getByRole('heading', { name: 'Entity in Linked' }).waitFor();
    const widthOf = async () => (await panelOf(page).boundingBox())?.width;
    expect(await widthOf()).toBe(380);
    await page.reload();
    await expect.poll(() => nameField(page).inputValue()).toBe('Ada');
    await page.setViewportSize({ width: 2000, height: 1000 });
    expect(await widthOf()).toBe(560);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await panelOf(page).boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
    await nameField(page).fill('Grace');
    expect((await page.getByRole('button', { name: 'Save' }).boundingBox())?.height).toBeGreaterThanOrEqual(44);
  });

  it('has the keys and twelve properties on one screen, each on its line', async () => {
    const table = await withTable('Twelve');
    const properties = Array.from({ length: 12 }, (_, at) => [`Property${at}`, at % 2 === 0 ? at : `text ${at}`]);
    await table.createEntity({ ...row, ...Object.fromEntries(properties) });
    const page = await open(hashOf('Twelve', linkTo(['p', 'r'])));
    await page.getByLabel('Value of Property11').waitFor();
    const fields = await page.locator('.panel .field').all();
    const boxes = await Promise.all(fields.map((field) => field.boundingBox()));
    expect(boxes).toHaveLength(15);
    expect(boxes.every((box) => box && box.height <= 32 && box.y + box.height <= 625)).toBe(true);
  });

  it('restores one property, and shows those that will be removed', async () => {
    const table = await withTable('Restored');
    await table.createEntity({ ...row, Name: 'Ada', Born: 1815 });
    const page = await open(hashOf('Restored', linkTo(['p', 'r'])));
    await nameField(page).fill('Grace');
    await page.getByRole('button', { name: 'Remove Born' }).click();
    await page.getByText('will be removed').waitFor();
    await page.getByRole('button', { name: 'Restore Born' }).click();
    expect(await page.getByLabel('Value of Born').inputValue()).toBe('1815');
    await page.getByRole('button', { name: 'Restore Name' }).click();
    expect(await nameField(page).inputValue()).toBe('Ada');
    await expect.poll(() => page.getByText('Not saved').count()).toBe(0);
  });

  it('shows JSON with indents, bytes, and how long ago a date was', async () => {
    const table = await withTable('Shown');
    await table.createEntity({
      ...row,
      Json: '{"big":12345678901234567890,"none":[]}',
      Bytes: Buffer.from('Hello, bytes'),
      At: new Date(Date.now() - 415 * 24 * 3600 * 1000),
    });
    const page = await open(hashOf('Shown', linkTo(['p', 'r'])));
    await page.getByText('Formatted JSON').click();
    const formatted = page.locator('pre', { hasText: 'big' });
    expect(await formatted.textContent()).toBe('{\n  "big": 12345678901234567890,\n  "none": []\n}');
    await page.locator('summary', { hasText: '12 bytes' }).click();
    await page.locator('pre', { hasText: '0000  48 65 6c 6c 6f 2c 20 62  Hello, b' }).waitFor();
    await page.getByText(/here, 415 days ago/).waitFor();

    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save to a file' }).click(),
    ]);
    expect(await readFile(await saved.path(), 'utf8')).toBe('Hello, bytes');
    const file = { name: 'x.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255]) };
    await page.getByLabel('Load Bytes from a file').setInputFiles(file);
    await expect.poll(() => page.getByLabel('Value of Bytes').inputValue()).toBe('AP8=');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').first().waitFor();
    expect(Buffer.from((await table.getEntity('p', 'r'))['Bytes'] as Uint8Array)).toEqual(Buffer.from([0, 255]));
  });

  it('is written as JSON, strictly: a text with a fault stays as it is typed, and is not saved', async () => {
    const table = await withTable('Strict');
    await table.createEntity({ ...row, Big: { type: 'Int64', value: '9007199254740993' }, Name: 'Ada' });
    const page = await open(hashOf('Strict', linkTo(['p', 'r'])));
    page.on('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const json = page.getByLabel('Entity as JSON');
    const before = await json.inputValue();
    expect(before).toContain('"Big": "9007199254740993"');
    const wrong = before.replace('"Ada"', '{"first": "Ada"}');
    await json.fill(wrong);
    await page.getByText(/^Line \d+, column 11: A property cannot be an object/).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('link', { name: 'Strict p / r' }).click();
    expect(await json.inputValue()).toBe(wrong);
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Fields' }).isDisabled()).toBe(true);

    await json.fill(before.replace('"Ada"', '"Grace"').replace('"9007199254740993"', '"9007199254740995"'));
    await page.getByRole('button', { name: 'Fields' }).click();
    expect(await nameField(page).inputValue()).toBe('Grace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    const saved = await table.getEntity('p', 'r', { disableTypeConversion: true });
    expect(saved).toMatchObject({ Big: { type: 'Int64', value: '9007199254740995' }, Name: { value: 'Grace' } });
  });

  it('is written as JSON onto what a program has changed while the text had a fault', async () => {
    const table = await withTable('Joined');
    await table.createEntity({ ...row, Name: 'Ada', Note: 'n' });
    const page = await open(hashOf('Joined', linkTo(['p', 'r'])));
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const json = page.getByLabel('Entity as JSON');
    const before = await json.inputValue();
    await json.fill(before.replace('"Ada"', '"Grace'));
    await table.updateEntity({ ...row, Note: 'theirs' }, 'Merge');
    await page.locator('.rows').getByText('theirs').waitFor();
    await json.fill(before.replace('"Ada"', '"Grace"'));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    expect(await table.getEntity('p', 'r')).toMatchObject({ Name: 'Grace', Note: 'theirs' });
  });

  it('says why the service has rejected a save', async () => {
    const table = await withTable('Dropped');
    await table.createEntity({ ...row, Name: 'Ada' });
    const page = await open(hashOf('Dropped', linkTo(['p', 'r'])));
    await nameField(page).fill('Grace');
    await table.deleteTable();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Why it was rejected' }).getByText('Create the table first').waitFor();
    expect(await nameField(page).inputValue()).toBe('Grace');
  });
});

describeExplorer('A filter that finds nothing', ({ open, hashOf, withTable }) => {
  it('has a hint about the stored type', async () => {
    const table = await withTable('Hinted');
    await table.createEntity({ ...row, Name: '5' });
    const page = await open(hashOf('Hinted', `?filter=${encodeURIComponent('Name eq 5')}`));
    await page.getByText('Name is stored as a String, and 5 is an Int32.').waitFor();
  });
});
