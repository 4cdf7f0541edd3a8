import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { until } from './code-server.mjs';

const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Returns the client of Microsoft's SDK for a table of the server at a port. */
function tableAt(port, name = 'Orders') {
  const strings = ['DefaultEndpointsProtocol=http', 'AccountName=devstoreaccount1', `AccountKey=${key}`];
  const text = [...strings, `TableEndpoint=http://127.0.0.1:${port}/devstoreaccount1`].join(';');
  return TableClient.fromConnectionString(text, name, { allowInsecureConnection: true });
}

/** Creates a table with entities. */
async function fill(port) {
  const table = tableAt(port);
  await table.createTable();
  for (let at = 0; at < 5; at++) await table.createEntity({ partitionKey: 'p', rowKey: `r${at}`, Size: at });
  return table;
}

/** Returns how many entities a filter finds. */
async function countOf(table, filter = '') {
  let count = 0;
  for await (const _ of table.listEntities({ queryOptions: { filter } })) count++;
  return count;
}

const rejected = (table) => assert.rejects(countOf(table, 'Size gt and'));

/** Journeys through the extension, by title. Each has a folder, a window and a port of its own. */
export const journeys = {
  async 'start, lists, why, filter, connection string, restart, stop'({ folder, open, freePort, picture }) {
    const port = await freePort();
    const path = folder('shop', { tablePort: port }, { 'query.txt': "RowKey eq 'r1'" });
    const window = await open(path);
    await window.run('Tabularium: Start');
    await window.bar(new RegExp(`^Tables ${port}$`));
    const table = await fill(port);
    await window.bar(new RegExp(`^Tables ${port}$`));
    await rejected(table);
    await window.bar(new RegExp(`^Tables ${port} 1$`));
    await window.run('View: Show Tabularium');
    await until('the count of entities', async () =>
      /5 entities/.test(await (await window.row('Orders')).textContent()),
    );
    await picture(window, 'lists');
    await (await window.row('GET /devstoreaccount1/Orders')).click();
    await window.notice('501 NotImplemented: ');
    await picture(window, 'why');
    await window.answer('501 NotImplemented: ', 'Show the Request');
    await window.inner('Size gt and');
    // The picture of docs/vscode.md.
    await window.page.setViewportSize({ width: 1400, height: 600 });
    await picture(window, 'request');
    await window.page.setViewportSize({ width: 1400, height: 900 });
    await window.run('Tabularium: Clear Rejected Requests');
    await window.bar(new RegExp(`^Tables ${port}$`));

    await window.run('Go to File');
    await window.page.locator('.quick-input-widget input').first().fill('query.txt');
    await window.pick('query.txt');
    await window.page.locator('.monaco-editor .view-line').first().click();
    await window.page.keyboard.press('Control+a');
    await window.run('Tabularium: Explain the Selected $filter');
    await window.answer('table-scan: ');
    await window.run('Tabularium: Copy Connection String');
    await until('the connection string', async () =>
      (await window.page.evaluate('navigator.clipboard.readText()')).includes(`127.0.0.1:${port}/devstoreaccount1`),
    );
    await window.run('Tabularium: Restart');
    await until('the server is there again', () => countOf(table).then((count) => count === 5));
    await window.bar(new RegExp(`^Tables ${port}$`));
    await window.run('Tabularium: Stop');
    await window.bar(/^Tables$/);
    await assert.rejects(fetch(`http://127.0.0.1:${port}`));
    assert.deepEqual(readdirSync(path).sort(), ['.vscode', 'query.txt'], 'nothing appears in the folder');
  },

  async 'the page in a tab: entities, links, a stream, a download, an upload, keys'(stage) {
    const port = await stage.freePort();
    const window = await stage.open(stage.folder('page', { tablePort: port }));
    await window.run('Tabularium: Open Explorer');
    await window.bar(new RegExp(`^Tables ${port}$`));
    const table = await fill(port);
    let page = await window.inner('Orders');
    await page.getByRole('link', { name: 'Orders' }).click();
    page = await window.inner('r4');
    await stage.picture(window, 'page');
    await page.getByRole('link', { name: 'Requests' }).click();
    const row = (text) => page.locator('[role=row]').filter({ hasText: text }).first();
    await row('InsertEntity').waitFor();
    await rejected(table);
    await window.bar(new RegExp(`^Tables ${port} 1$`));
    await page.getByRole('button', { name: /new/ }).or(row('NotImplemented')).first().waitFor();
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByText('r4').first().waitFor();
    const downloading = window.page.waitForEvent('download');
    await page.getByRole('button', { name: /^Actions for / }).click();
    await page.getByRole('menuitem', { name: /CSV with types/ }).click();
    const file = await (await downloading).path();
    assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 6);
    await page.getByRole('button', { name: /^Actions for / }).click();
    await page.getByRole('menuitem', { name: 'Import…' }).click();
    const dialog = page.getByRole('dialog');
    // 3 MB are more than the relay sends without an acknowledgement.
    const lines = Array.from({ length: 300 }, (_, at) => `q,${at},${'x'.repeat(10_000)}`);
    const buffer = Buffer.from(['PartitionKey,RowKey,Text', ...lines].join('\n'));
    await dialog.locator('input[type=file]').setInputFiles({ name: 'more.csv', mimeType: 'text/csv', buffer });
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog
      .getByText(/Imported: /)
      .first()
      .waitFor();
    assert.equal(await countOf(table), 305);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await window.page.keyboard.press('Control+k');
    await window.bar(/Waiting for second key of chord/);
    await window.page.keyboard.press('Escape');
    await window.run('Preferences: Toggle between Light/Dark Themes');
    await until('the theme of the editor', () =>
      page.evaluate("getComputedStyle(document.documentElement).colorScheme === 'light'"),
    );
    await stage.picture(window, 'page-light');
    await window.run('Tabularium: Stop');
    await page.getByText('does not answer').first().waitFor();
    await window.run('Tabularium: Start');
    await window.bar(new RegExp(`^Tables ${port}$`));
    await page.getByText('does not answer').first().waitFor({ state: 'detached' });
  },

  async 'a snapshot, a reset, its undo, a restore'({ folder, open, freePort }) {
    const port = await freePort();
    const window = await open(folder('state', { tablePort: port, inMemoryPersistence: true }));
    await window.run('Tabularium: Start');
    await window.bar(new RegExp(`^Tables ${port}$`));
    const table = await fill(port);
    await window.run('View: Show Tabularium');
    await window.run('Tabularium: Take a Snapshot');
    await window.type('before');
    await window.row('before');
    await table.deleteEntity('p', 'r0');
    await window.run('Tabularium: Reset All Data');
    await window.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Reset' }).click();
    await window.notice('1 tables reset');
    await assert.rejects(countOf(table));
    await window.answer('1 tables reset', 'Undo');
    await until('the undo', () => countOf(table).then((count) => count === 4));
    await window.run('Tabularium: Restore a Snapshot', 'before');
    await window.answer('1 tables restored');
    assert.equal(await countOf(table), 5);
  },

  async 'a task starts the server'({ folder, open, freePort }) {
    const port = await freePort();
    const task = { label: 'tables', type: 'tabularium', task: 'start', problemMatcher: [] };
    const tasks = JSON.stringify({ version: '2.0.0', tasks: [task] });
    const path = folder('task', { tablePort: port }, { '.vscode/tasks.json': tasks });
    const window = await open(path);
    await window.run('Tasks: Run Task', 'tables');
    await window.bar(new RegExp(`^Tables ${port}$`));
  },

  async 'a debug session starts the server'({ folder, open, freePort }) {
    const port = await freePort();
    const session = { type: 'node', request: 'launch', name: 'main', program: 'main.js' };
    const launch = JSON.stringify({ version: '0.2.0', configurations: [session] });
    const files = { '.vscode/launch.json': launch, 'main.js': 'process.exit();' };
    const window = await open(folder('debug', { tablePort: port, autoStart: 'onDebug' }, files));
    await window.run('Debug: Start Without Debugging');
    await window.bar(new RegExp(`^Tables ${port}$`));
  },

  async 'a second window of the folder attaches; another folder gets a free port'({ folder, open, freePort }) {
    const port = await freePort();
    const path = folder('first', { tablePort: port });
    const first = await open(path);
    await first.run('Tabularium: Start');
    await first.bar(new RegExp(`^Tables ${port}$`));
    await fill(port);
    const second = await open(path);
    await second.run('Tabularium: Start');
    await second.bar(new RegExp(`^Tables ${port}$`));
    await second.run('View: Show Tabularium');
    await second.row('Orders');
    await second.run('Tabularium: Stop');
    await second.bar(/^Tables$/);
    assert.equal(await countOf(tableAt(port)), 5, 'the server of the first window stays');

    const other = await open(folder('other', { tablePort: port }));
    await other.run('Tabularium: Start');
    assert.match(await (await other.notice('uses port')).textContent(), /The Tabularium of .+ uses port/);
    await other.answer('uses port', 'Use a Free Port');
    await other.bar(/^Tables \d+$/);
    await other.run('View: Show Tabularium');
    await other.page.getByText('There are no tables yet').waitFor();

    await second.run('Tabularium: Start');
    await second.bar(new RegExp(`^Tables ${port}$`));
    await first.run('Tabularium: Stop');
    await second.bar(/^Tables$/);
  },

  async 'a port of another program is left to it'({ folder, open, freePort, picture }) {
    const port = await freePort();
    const other = createServer((_request, response) => response.end('hello')).listen(port, '127.0.0.1');
    const window = await open(folder('foreign', { tablePort: port }));
    await window.run('Tabularium: Start');
    await window.notice(`Another program uses port ${port}.`);
    await picture(window, 'port');
    await window.answer('Another program', 'Use a Free Port');
    await window.bar(/^Tables \d+$/);
    other.close();
    other.closeAllConnections();
  },

  async 'the server starts by itself, with blobs and queues, and ends with its editor'({
    folder,
    open,
    freePort,
    place,
  }) {
    const port = await freePort();
    const location = join(place, 'kept');
    const path = folder('auto', { tablePort: port, autoStart: 'onOpen', location, startAzuriteBlobsAndQueues: true });
    const window = await open(path);
    await window.bar(new RegExp(`^Tables ${port}$`));
    await window.answer('Double of azurite.start_blob');
    await window.answer('Double of azurite.start_queue');
    await window.run('Developer: Reload Window');
    await window.answer('Double of azurite.start_blob');
    await window.answer('Double of azurite.start_queue');
    const table = await fill(port);
    const processes = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
    const found = processes.map((line) => /^\s*(\d+)\s+(\d+)\s+.*run-server\.mjs start .*--tablePort=(\d+)/.exec(line));
    const [, pid, host] = found.find((one) => one?.[3] === String(port)) ?? [];
    process.kill(Number(host), 'SIGKILL');
    await until('the server has ended', () => !existsSync(`/proc/${pid}`));
    // The editor starts its host of extensions again, and that the server.
    await until('the server is there again', () => countOf(table).then((count) => count === 5));
  },

  async 'coding agents find the tools'({ folder, open, freePort, root, picture }) {
    const tools = readFileSync(join(root, 'docs/mcp.md'), 'utf8').match(/^\| \[\w+\]\(verbs\.md/gm)?.length;
    const port = await freePort();
    const window = await open(folder('agents', { tablePort: port }));
    await window.run('Tabularium: Start');
    await window.bar(new RegExp(`^Tables ${port}$`));
    await window.run('MCP: List Servers', 'Tabularium', 'Start Server');
    await window.run('MCP: List Servers', 'Tabularium', 'Show Output');
    await until(`${tools} tools`, async () =>
      (await window.page.locator('.panel .view-lines').allInnerTexts())
        .join('\n')
        .replaceAll('\u00a0', ' ')
        .includes(`Discovered ${tools} tools`),
    );
    await picture(window, 'agents');
  },

  async 'a folder starts nothing until it is trusted'({ folder, open, freePort, askForTrust }) {
    await askForTrust();
    const port = await freePort();
    const window = await open(folder('strange', { tablePort: port, autoStart: 'onOpen' }));
    await window.bar(/Restricted Mode/);
    // The extension runs: it shows its log.
    await window.run('Tabularium: Show Log');
    await window.page.locator('.panel').getByText('Output').first().waitFor();
    await assert.rejects(fetch(`http://127.0.0.1:${port}`));
    await window.run('Workspaces: Manage Workspace Trust');
    await window.page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust/ })
      .first()
      .click();
    await window.bar(new RegExp(`^Tables ${port}$`));
  },
};
