// A journey through the page in Firefox: npm run test:long -- firefox. It needs a Firefox (FIREFOX, or firefox-esr on the path) and
// fetches the program that steers it from npm, into a temporary folder. Prints a line for each part of the journey.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TableClient } from '@azure/data-tables';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const firefox = process.env.FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);
assert.ok(firefox, 'no Firefox at /usr/bin/firefox-esr or /usr/bin/firefox; set FIREFOX');

/** Number of entities of the table. */
const rows = 300;
const account = 'devstoreaccount1';

const folder = mkdtempSync(join(tmpdir(), 'tabularium-firefox-'));
const { startTabularium } = await import(pathToFileURL(join(root, 'dist/index.js')).href);
const server = await startTabularium();
const table = TableClient.fromConnectionString(server.connectionString, 'Orders', { allowInsecureConnection: true });
const origin = new URL(server.url).origin;
const faults = [];
let browser;
try {
  await seed();
  browser = await launch();
  const version = (await browser.version()).replace('/', ' ');
  for (const [width, height, dark] of [
    [1280, 800, false],
    [800, 600, true],
    [390, 844, false],
  ]) {
    const page = await open(width, height, dark);
    await walkTabs(page, width);
    await page.close();
    console.log(`${version}, ${width} × ${height}, ${dark ? 'dark' : 'light'}: each tab is as wide as the window`);
  }
  const page = await open(1280, 800, false);
  await editCell(page);
  console.log('a cell is edited and saved by the keyboard, and a draft survives a reload');
  await followProgram(page);
  console.log("a program's change is shown in place, and its new entity is counted");
  await runFilter(page);
  console.log('a filter runs, and its fault is shown where it is');
  await readRequest(page);
  console.log('a request has an address and its details');
  assert.deepEqual(faults, []);
} finally {
  await browser?.close();
  await server.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
}

async function seed() {
  await table.createTable();
  for (let from = 0; from < rows; from += 100) {
    const hundred = Array.from({ length: 100 }, (_, at) => [
      'create',
      { partitionKey: 'p', rowKey: keyOf(from + at), Status: 'open', Items: at, Total: 1.5, Name: 'Ada Lovelace' },
    ]);
    await table.submitTransaction(hundred);
  }
}

function keyOf(row) {
  return String(row).padStart(4, '0');
}

async function launch() {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', 'puppeteer-core@25'];
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const entry = execFileSync(process.execPath, ['-p', "require.resolve('puppeteer-core')"], { cwd: folder });
  const { default: puppeteer } = await import(pathToFileURL(entry.toString().trim()).href);
  return puppeteer.launch({ browser: 'firefox', executablePath: firefox, headless: true });
}

async function open(width, height, isDark) {
  const page = await browser.newPage();
  page.setDefaultTimeout(30_000);
  // The page asks before a reload while something is not saved.
  page.on('dialog', (dialog) => dialog.accept());
  page.on('pageerror', (error) => faults.push(`error in the page: ${error.message}`));
  await page.setViewport({ width, height });
  if (isDark) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]).catch(() => undefined);
  await page.goto(`${origin}/_tabularium/#/${account}/data/Orders`);
  await row(page, 0);
  return page;
}

/** Waits for an element, and returns it. The page may be drawn again meanwhile. */
async function find(page, selector) {
  const end = Date.now() + 30_000;
  for (;;) {
    const element = await page.$(selector).catch(() => null);
    if (element) return element;
    assert.ok(Date.now() < end, `no ${selector}`);
    await setTimeout(50);
  }
}

/** Waits for a row of the grid, from 0. */
function row(page, at) {
  return find(page, `[role=row][aria-rowindex="${at + 2}"]`);
}

/** Waits until the page shows a text. */
function shows(page, text) {
  return page.waitForFunction((wanted) => document.body.textContent.includes(wanted), {}, text);
}

/** Waits until a condition on the service holds. */
async function until(condition) {
  while (!(await condition())) await setTimeout(50);
}

async function walkTabs(page, width) {
  for (const tab of ['requests', 'coach', 'state', 'connect', 'data/Orders']) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#/${account}/${tab}`);
    await find(page, `#content[data-tab=${tab.split('/')[0]}] > :not(h1)`);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(beyond <= 0, `${tab} is ${beyond} px wider than ${width} px`);
  }
}

async function editCell(page) {
  const column = await page.$$eval('[role=columnheader]', (heads) =>
    heads.find((head) => head.textContent.startsWith('Status')).getAttribute('aria-colindex'),
  );
  await page.click(`[role=row][aria-rowindex="2"] [role=gridcell][aria-colindex="${column}"]`);
  await page.keyboard.press('F2');
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.type('shipped');
  await page.keyboard.press('Enter');
  await shows(page, 'Not saved:');
  await page.reload();
  await row(page, 0);
  await shows(page, 'shipped');
  assert.equal((await table.getEntity('p', keyOf(0))).Status, 'open');
  await page.focus('[role=grid]');
  await page.keyboard.down('Control');
  await page.keyboard.press('s');
  await page.keyboard.up('Control');
  await until(async () => (await table.getEntity('p', keyOf(0))).Status === 'shipped');
}

async function followProgram(page) {
  await table.updateEntity({ partitionKey: 'p', rowKey: keyOf(1), Status: 'returned' }, 'Merge');
  await shows(page, 'returned');
  await table.createEntity({ partitionKey: 'p', rowKey: '0000a', Status: 'new' });
  await shows(page, '1 new');
}

async function runFilter(page) {
  const editor = await find(page, '[aria-label="$filter"]');
  await editor.click();
  await page.keyboard.type("Status eq 'returned'");
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === '2');
  await (await find(page, '[aria-label="$filter"]')).click();
  await page.keyboard.type(' and Items == 1');
  await page.keyboard.press('Enter');
  await shows(page, 'Fix and run');
}

async function readRequest(page) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/${account}/requests`);
  await row(page, 0);
  await page.focus('[role=grid]');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await find(page, '.panel');
  assert.match(await page.evaluate(() => location.hash), /requests\/[^?]+/);
}
