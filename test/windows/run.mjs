// Checks a build under Wine, with a node.exe for Windows: `npm run test:long -- windows`. Prints a line for each check, then the counts.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TableClient } from '@azure/data-tables';
import {
  killNode,
  nodeExe,
  prepareWine,
  runWindows,
  startAtConsole,
  startWindows,
  whyNoWine,
  windowsPath,
} from './wine.mjs';

const reason = whyNoWine();
if (reason !== undefined) {
  console.log(`The checks for Windows did not run: ${reason}.`);
  process.exit(0);
}
prepareWine();
killNode();

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = windowsPath(join(root, 'dist/main.js'));
const withoutLinks = windowsPath(join(root, 'test/windows/without-links.cjs')).replaceAll('\\', '/');
const folder = mkdtempSync(join(tmpdir(), 'tabularium-windows-checks-'));
const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const run = (words, variables) => runWindows([nodeExe, main, ...words], { cwd: folder, variables });

/** Waits until a file has a match. Fails after a minute. */
async function find(file, pattern) {
  for (let tries = 0; tries < 600; tries++) {
    const found = existsSync(file) && pattern.exec(readFileSync(file, 'utf8'));
    if (found) return found;
    await wait(100);
  }
  throw new Error(`there is no ${pattern} in: ${existsSync(file) ? readFileSync(file, 'utf8') : ''}`);
}

let started = 0;
/** Starts a server on a free port. Returns its port, and that of Cosmos DB if it has one. */
async function serve(...words) {
  const outputFile = join(folder, `server-${++started}.txt`);
  startWindows([nodeExe, main, '--silent', '--tablePort', '0', ...words], { cwd: folder, outputFile });
  const [, port] = await find(outputFile, /Table service is successfully listening at \S+:(\d+)/);
  const [, cosmosPort] = words.includes('--cosmosPort')
    ? await find(outputFile, /Cosmos DB is successfully listening at \S+:(\d+)/)
    : [];
  return { port, cosmosPort, text: () => readFileSync(outputFile, 'utf8') };
}

const table = (name, port) =>
  TableClient.fromConnectionString(
    `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=http://127.0.0.1:${port}/${account};`,
    name,
    { allowInsecureConnection: true },
  );

const cosmosAccount = 'localhost';
const cosmosKey = 'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==';

const cosmosTable = (name, port) =>
  TableClient.fromConnectionString(
    `DefaultEndpointsProtocol=http;AccountName=${cosmosAccount};AccountKey=${cosmosKey};TableEndpoint=http://localhost:${port}/;`,
    name,
    { allowInsecureConnection: true },
  );

async function countEntities(client) {
  let count = 0;
  for await (const _ of client.listEntities()) count++;
  return count;
}

const counts = { passed: 0, failed: 0 };
async function check(rule, body) {
  try {
    await body();
    counts.passed++;
    console.log(`ok    ${rule}`);
  } catch (error) {
    counts.failed++;
    console.log(`FAIL  ${rule}\n${error instanceof Error ? error.stack : error}`);
  }
}

const data = windowsPath(join(folder, 'Jürgen Müller', 'data'));
let port = '';

await check('keeps its data in a folder with spaces and umlauts', async () => {
  ({ port } = await serve('--location', data));
  await table('NUL', port).createTable();
  const rows = Array.from({ length: 99 }, (_, at) => ['create', { partitionKey: 'a:b*', rowKey: `CON${at}` }]);
  await table('NUL', port).submitTransaction(rows);
});

await check('rejects a second server on the same data', () => {
  const { code, errors } = run(['--location', data, '--tablePort', '0']);
  assert.equal(code, 2, errors);
  assert.match(errors, /in use by another process/);
});

await check('doctor without the right to make links finds data that is in use', () => {
  const { output, errors } = run(['doctor', '--location', data, '--tablePort', port], {
    NODE_OPTIONS: `--require=${withoutLinks}`,
  });
  assert.match(output + errors, /in use by another process/);
});

await check('exports to a folder twice, and starts with it', async () => {
  for (let at = 0; at < 2; at++) {
    const { code, errors } = run(['export', 'exported', '--url', port]);
    assert.equal(code, 0, errors);
  }
  const { port: seeded } = await serve('--inMemoryPersistence', '--seed', 'exported');
  assert.equal(await countEntities(table('NUL', seeded)), 99);
});

await check('exports tables of Cosmos DB whose names no file may have here, or differ only in case', async () => {
  const names = ['Orders', 'orders', 'a*b', 'd:e'];
  const served = await serve('--inMemoryPersistence', '--cosmosPort', '0');
  for (const name of names) {
    const client = cosmosTable(name, served.cosmosPort);
    await client.createTable();
    await client.createEntity({ partitionKey: 'p', rowKey: name });
  }
  const { code, errors } = run(['export', 'cosmos', '--url', served.port]);
  assert.equal(code, 0, errors);
  assert.equal(readdirSync(join(folder, 'cosmos')).length, names.length);
  const seeded = await serve('--inMemoryPersistence', '--cosmosPort', '0', '--seed', 'cosmos');
  for (const name of names) {
    const rows = [];
    for await (const { rowKey } of cosmosTable(name, seeded.cosmosPort).listEntities()) rows.push(rowKey);
    assert.deepEqual(rows, [name]);
  }
});

await check('keeps acknowledged writes when it is killed', async () => {
  killNode();
  ({ port } = await serve('--location', data));
  assert.equal(await countEntities(table('NUL', port)), 99);
  killNode();
});

await check('exec gives its command the arguments as they are', () => {
  writeFileSync(join(folder, 'words.mjs'), 'console.log(JSON.stringify(process.argv.slice(2)))');
  const words = ['one two', 'say "hi"', 'a&b', '2>1', '%PATH%x', ''];
  const { output, errors } = run(['exec', '--', 'node', 'words.mjs', ...words]);
  assert.equal(output.trim(), JSON.stringify(words), errors);
});

// For a missing command, cmd.exe of Windows exits with 1, which cross-spawn recognizes; that of Wine exits with 49, so 127 is not
// seen here.
await check('exec returns the exit code of its command', () => {
  assert.equal(run(['exec', '--', 'node', '-e', 'process.exit(5)']).code, 5);
});

await check('exec runs batch files such as npm.cmd', () => {
  assert.match(run(['exec', '--', 'npm', '-v']).output, /^\d+\.\d+\.\d+$/m);
});

await check('a killed exec ends its command', async () => {
  const file = join(folder, 'beats.txt');
  const script = `setInterval(() => fs.appendFileSync(${JSON.stringify(windowsPath(file))}, '.'), 50); console.log('parent', process.ppid)`;
  const outputFile = join(folder, 'exec.txt');
  startWindows([nodeExe, main, 'exec', '--', 'node', '-e', script], { cwd: folder, outputFile });
  const [, parent] = await find(outputFile, /parent (\d+)/);
  await find(file, /\./);
  runWindows(['taskkill', '/F', '/PID', parent]);
  const size = () => readFileSync(file).length;
  // The command writes every 50 ms while it lives.
  let before = size();
  for (let tries = 0; tries < 50; tries++) {
    await wait(500);
    const now = size();
    if (now === before) return;
    before = now;
  }
  assert.fail('the command still runs');
});

await check('Ctrl+C at a console ends a server in good order', async () => {
  const exported = join(folder, 'console.ndjson');
  const words = ['--inMemoryPersistence', '--tablePort', '0', '--import', windowsPath(exported), '--exportOnExit'];
  const terminal = startAtConsole([nodeExe, main, ...words], { cwd: folder });
  let text = '';
  let isPressed = false;
  terminal.stdout.on('data', (part) => {
    text += part;
    if (isPressed || !text.includes('/_tabularium/')) return;
    isPressed = true;
    terminal.stdin.write('\x03');
  });
  await new Promise((resolve) => terminal.once('exit', resolve));
  // Wine's own process ends with the terminal's SIGINT; the Windows program ends on its own.
  await find(exported, /^/);
});

killNode();
rmSync(folder, { recursive: true, force: true });
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);
