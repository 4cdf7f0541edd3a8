// Measures the page for browsers on large tables: `npm run build && node test/bench/explorer.mjs [rows]`. Needs Chromium. It fills a folder with a table
// of a million entities, one with 252 properties in each entity and one with texts of 32 KB, and opens each in a new browser.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { createClock } from '../../build/clock/clock.js';
import { openStore } from '../../build/store/open-store.js';
import { startTabularium } from '../../dist/index.js';
import { median } from './measure/measure.mjs';

const account = 'devstoreaccount1';
const rows = Number(process.argv[2] ?? 1_000_000);
/** Number of times that each table is opened; the median counts. */
const times = 3;
/** How many pages of the grid are scrolled. */
const screens = 200;
const chunk = 500;
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const number = (name, value) => ({ name, type: 'Edm.Int32', json: String(value), valueBytes: 4 });
const text = (name, value) => ({
  name,
  type: 'Edm.String',
  json: JSON.stringify(value),
  valueBytes: 4 + 2 * value.length,
});

const tables = [
  { name: 'Million', rows, properties: (at) => [number('Count', at), text('Text', `name ${at} `.repeat(8))] },
  {
    name: 'Wide',
    rows: 2000,
    properties: (at) => Array.from({ length: 252 }, (_, column) => number(`Column${column}`, at + column)),
  },
  { name: 'Long', rows: 2000, properties: (at) => [number('Count', at), text('Text', 'x'.repeat(32 * 1024 - 1))] },
];

async function fill(location) {
  const store = await openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 1024 * 1024 });
  for (const table of tables) {
    await store.createTable(account, table.name);
    for (let from = 0; from < table.rows; from += chunk) {
      const changes = Array.from({ length: Math.min(chunk, table.rows - from) }, (_, at) => ({
        kind: 'insert',
        key: { partitionKey: `p${Math.floor((from + at) / 1000)}`, rowKey: String(from + at).padStart(8, '0') },
        properties: table.properties(from + at),
      }));
      await store.openTable(account, table.name).commit(changes);
    }
  }
  await store.close();
}

/** Opens a table and scrolls through it. Returns milliseconds, and the longest tasks of each part. */
async function measureTable(browser, root, table) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) =>
      globalThis.longTasks.push(...list.getEntries().map((one) => one.duration)),
    ).observe({
      entryTypes: ['longtask'],
    });
  });
  const startedAt = performance.now();
  await page.goto(`${root}/_tabularium/#/${account}/data/${table}`);
  await page.locator('[role=gridcell]').first().waitFor();
  const rowsAt = performance.now() - startedAt;
  const paintAt = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  // Tasks before the first row are part of opening, and are told apart from those of scrolling.
  const opening = await page.evaluate(() => Math.max(0, ...globalThis.longTasks.splice(0)));
  await page.locator('[role=grid]').hover();
  for (let screen = 0; screen < screens; screen++) await page.mouse.wheel(0, 600);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const scrolling = await page.evaluate(() => Math.max(0, ...globalThis.longTasks));
  await page.context().close();
  return { paintAt, rowsAt, opening, scrolling };
}

const location = await mkdtemp(join(tmpdir(), 'tabularium-explorer-'));
try {
  await fill(location);
  const tabularium = await startTabularium({ location });
  const [, root] = /TableEndpoint=(.+?)\/[^/;]+;/.exec(tabularium.connectionString);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  process.stdout.write(
    '| table | rows | first paint, ms | first rows, ms | longest task while opening, ms | longest task while scrolling, ms |\n' +
      '|---|--:|--:|--:|--:|--:|\n',
  );
  for (const table of tables) {
    const measured = [];
    for (let time = 0; time < times; time++) measured.push(await measureTable(browser, root, table.name));
    const cells = ['paintAt', 'rowsAt', 'opening', 'scrolling'].map((name) =>
      median(measured.map((one) => one[name])).toFixed(0),
    );
    process.stdout.write(`| ${table.name} | ${table.rows.toLocaleString('en')} | ${cells.join(' | ')} |\n`);
  }
  await browser.close();
  await tabularium.close();
} finally {
  await rm(location, { recursive: true });
}
