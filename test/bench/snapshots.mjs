// Measures what resets, snapshots, branches and restores cost in tables of several sizes, and the first and later reads of a
// branch: `node test/bench/snapshots.mjs [rows...]`. Needs a build.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../../build/clock/clock.js';
import { dataFolder } from '../../build/store/level/open-folder.js';
import { openStore } from '../../build/store/open-store.js';
import { median } from './measure/measure.mjs';

const account = 'account';
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 10_000, 100_000, 1_000_000];
/** Number of times that each measurement is taken; the median counts. */
const times = 5;
const chunk = 500;
const mib = 1024 * 1024;

const textOf = (value) => JSON.stringify(value);
const properties = (number) => [
  { name: 'N', type: 'Edm.Int32', json: String(number), valueBytes: 4 },
  { name: 'Text', type: 'Edm.String', json: textOf('x'.repeat(200)), valueBytes: 404 },
];
const keyOf = (row) => ({ partitionKey: `p${Math.floor(row / 1000)}`, rowKey: String(row).padStart(8, '0') });

async function measured(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function directorySize(location) {
  const folder = join(location, dataFolder);
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Reads 1,000 rows in the middle of a table. */
async function readPage(store, of, rows) {
  const from = { ...keyOf(Math.floor(rows / 2000) * 1000), side: 'before' };
  const page = await store.openTable(of, 'Table').readPage({ ranges: [{ from }], rowsMax: 1000 });
  if (page.rows.length === 0) throw new Error('the page is empty');
}

async function measureSize(rows) {
  const location = await mkdtemp(join(tmpdir(), 'tabularium-snapshots-'));
  let store = await openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 64 * mib });
  const reopen = async () => {
    await store.close();
    store = await openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 64 * mib });
  };
  await store.createTable(account, 'Table');
  for (let row = 0; row < rows; row += chunk) {
    const changes = Array.from({ length: Math.min(chunk, rows - row) }, (_, at) => ({
      kind: 'insert',
      key: keyOf(row + at),
      properties: properties(row + at),
    }));
    await store.openTable(account, 'Table').commit(changes);
  }
  await reopen();
  const before = await directorySize(location);
  const found = { take: [], restore: [], branch: [], first: [], warm: [], reset: [] };
  const plain = { first: [], warm: [] };
  for (let time = 0; time < times; time++) {
    await reopen();
    plain.first.push(await measured(() => readPage(store, account, rows)));
    plain.warm.push(await measured(() => readPage(store, account, rows)));
  }
  const write = (of) =>
    store
      .openTable(of, 'Table')
      .commit([{ kind: 'replace', key: keyOf(0), properties: properties(1), ifMatch: undefined }]);
  for (let time = 0; time < times; time++) {
    await write(account);
    found.take.push(await measured(() => store.snapshots.take('one', [account])));
    await write(account);
    const from = { account, snapshot: 'one' };
    const branch = { account: `branch${time}`, from, key: '', expires: 0 };
    found.branch.push(await measured(() => store.snapshots.branch(branch)));
    await write(branch.account);
    await reopen();
    found.first.push(await measured(() => readPage(store, branch.account, rows)));
    found.warm.push(await measured(() => readPage(store, branch.account, rows)));
    found.restore.push(
      await measured(() =>
        store.snapshots.exchange({ restored: { snapshot: 'one', accounts: [{ from: account, to: account }] } }),
      ),
    );
    await write(account);
  }
  await store.swept();
  await reopen();
  const after = await directorySize(location);
  for (let time = 0; time < times; time++) {
    await write(account);
    found.reset.push(await measured(() => store.snapshots.exchange({ emptied: [{ account, names: ['Table'] }] })));
    await store.snapshots.exchange({ restored: { snapshot: 'one', accounts: [{ from: account, to: account }] } });
  }
  await store.close();
  await rm(location, { recursive: true });
  return { rows, found, plain, before, after };
}

process.stdout.write(
  '| entities | take, ms | branch, ms | restore, ms | empty, ms | first page, plain, ms | first page of a branch, ms | warm, plain, ms | warm, branch, ms | MiB before | MiB with a snapshot and 5 branches |\n' +
    '|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n',
);
for (const rows of sizes) {
  const { found, plain, before, after } = await measureSize(rows);
  const columns = [
    found.take,
    found.branch,
    found.restore,
    found.reset,
    plain.first,
    found.first,
    plain.warm,
    found.warm,
  ];
  const cells = [
    rows.toLocaleString('en'),
    ...columns.map((one) => median(one).toFixed(2)),
    ...[before, after].map((bytes) => (bytes / mib).toFixed(1)),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
