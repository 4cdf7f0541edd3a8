/**
 * Takes the pictures of the page for browsers that the documentation shows: each tab, light and dark, with data and requests of
 * a small shop. Run it after a build, with Chromium: `npm run write -- screenshots`.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import { chromium } from 'playwright-core';
import { startTabularium } from '../../dist/index.js';

const folder = fileURLToPath(new URL('../../docs/explorer/', import.meta.url));
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const viewport = { width: 1280, height: 800 };

/** What each picture shows: its place in the page, and what is done before it is taken. */
const pictures = [
  {
    name: 'data',
    hash: 'data/employees',
    query: { filter: "PartitionKey eq 'Sales' and Age ge 40" },
    ready: '[role=grid] [role=gridcell]',
  },
  {
    name: 'requests',
    hash: 'requests',
    ready: '.requests .rows .row:has-text("403")',
    click: '.requests .rows .row:has-text("403")',
    opens: '.reason',
  },
  { name: 'coach', hash: 'coach', ready: 'summary', click: 'summary', opens: 'details[open]' },
  { name: 'state', hash: 'state', ready: '.things li' },
];

const names = ['Jones', 'Okafor', 'Lindqvist', 'Marques', 'Tanaka', 'Novak', 'Haddad', 'Keane'];
const departments = ['Marketing', 'Sales', 'Service'];

const tabularium = await startTabularium();
const clientOf = (table) =>
  TableClient.fromConnectionString(tabularium.connectionString, table, {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 2, retryDelayInMs: 1 },
  });

await fill();
await use();
await takeAll();
await tabularium.close();

/** Fills two tables, takes a snapshot, and makes a branch and a fault rule. */
async function fill() {
  const employees = clientOf('employees');
  await employees.createTable();
  for (const department of departments) {
    const rows = Array.from({ length: 100 }, (_, at) => ({
      partitionKey: department,
      rowKey: `empid_${String(at).padStart(6, '0')}`,
      Name: names[at % names.length],
      Age: 21 + ((at * 7) % 44),
      Salary: { type: 'Int64', value: String(38_000 + at * 311) },
      Hired: { type: 'DateTime', value: `20${10 + (at % 15)}-0${1 + (at % 9)}-14T08:00:00Z` },
      ...(at % 3 === 0 && { Manager: at % 2 === 0 }),
    }));
    await employees.submitTransaction(rows.map((row) => ['create', row]));
  }
  const orders = clientOf('orders');
  await orders.createTable();
  await orders.createEntity({ partitionKey: '2026-11', rowKey: '000001', Total: 49.9, Paid: true });
  await tabularium.snapshots.create('seed');
  await tabularium.branches.create({ from: 'seed' });
  await tabularium.faults.create({ when: { table: 'orders', operation: 'insert' }, fault: 'ServerBusy', times: 2 });
}

/** Does what a program does whose author has not read the design guide yet. */
async function use() {
  const employees = clientOf('employees');
  const list = (filter) => employees.listEntities({ queryOptions: { filter } });
  for await (const _ of list('Age gt 60'));
  for await (const _ of list("PartitionKey eq 'Sales' or PartitionKey eq 'Service'"));
  for await (const _ of list("PartitionKey eq 'Sales' and Age ge 40"));
  for (let at = 0; at < 24; at++) await employees.getEntity('Sales', `empid_${String(at).padStart(6, '0')}`);
  await clientOf('orders').createEntity({ partitionKey: '2026-11', rowKey: '000002', Total: 12 });
  await employees.getEntity('Sales', 'empid_999999').catch(() => undefined);
  const [, endpoint = ''] = /TableEndpoint=([^;]+)/.exec(tabularium.connectionString) ?? [];
  const [, name = ''] = /AccountName=([^;]+)/.exec(tabularium.connectionString) ?? [];
  const [, key = ''] = /AccountKey=([^;]+)/.exec(tabularium.connectionString) ?? [];
  // The key as text, not decoded: the most frequent mistake of those who sign by hand.
  const wrong = new AzureNamedKeyCredential(name, Buffer.from(key).toString('base64'));
  // Its picture shows the name of the client, and nothing of the machine that takes the picture.
  const sendRequest = (request, next) => {
    request.headers.set('User-Agent', 'azsdk-js-data-tables');
    return next(request);
  };
  const options = {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
    additionalPolicies: [{ position: 'perRetry', policy: { name: 'plain user agent', sendRequest } }],
  };
  await new TableClient(endpoint, 'employees', wrong, options).getEntity('Sales', 'r').catch(() => undefined);
}

async function takeAll() {
  await mkdir(folder, { recursive: true });
  const [, root = '', account = ''] = /TableEndpoint=(.+?)\/([^/;]+);/.exec(tabularium.connectionString) ?? [];
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  for (const colorScheme of ['light', 'dark']) {
    const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
    for (const { name, hash, query, ready, click, opens } of pictures) {
      await page.goto('about:blank');
      await page.goto(`${root}/_tabularium/#/${account}/${hash}${query ? `?${new URLSearchParams(query)}` : ''}`);
      await page.locator(ready).first().waitFor();
      if (click) {
        await page.locator(click).first().click();
        await page.locator(opens).first().waitFor();
      }
      await page.mouse.move(0, 0);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    }
  }
  await browser.close();
}
