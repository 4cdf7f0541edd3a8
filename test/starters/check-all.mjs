// Runs all checks of installed programs: node check-all.mjs <programs of the drop-in> <programs of tables alone>
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { accepts, key, portOf, ready, shape } from './conditions.mjs';
import { limitMs, startProgram, stopProgram, until } from './started-program.mjs';
import { starters } from './starters.mjs';

const [dropIn, tables] = process.argv.slice(2);
const services = Object.keys(portOf);
let failures = 0;

for (const port of Object.values(portOf)) {
  if (await accepts(port)) throw new Error(`Port ${port} is in use. The tools start the services on this port.`);
}
for (const starter of starters) await check(starter.name, (folder) => startAs(starter, folder));
for (const starter of starters) {
  await check(`${starter.name}, with tables alone`, (folder) => startTablesAs(starter, folder));
}
// Only Linux has a second address of the machine that needs no setup.
if (process.platform === 'linux') await check('listens on loopback by default', listensOnLoopback);
await check('leaves no process behind when it alone is killed', endsWithSupervisor);
await check('keeps acknowledged writes of tables when its process group is killed', keepsWrites);
for (const program of ['azurite', 'azurite-table', 'azurite-blob', 'azurite-queue']) {
  await check(`${program} started by its file, as pnpm and Windows do`, (folder) => startFile(program, folder));
}
console.log(failures === 0 ? 'all passed' : `${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

async function check(name, run) {
  const folder = mkdtempSync(join(tmpdir(), 'tabularium-starter-'));
  try {
    console.log(`ok      ${name}: ${await run(folder)}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED  ${name}: ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ask(bin, { words, answer, limitMs: toolMs }) {
  const begin = Date.now();
  const { status, stdout } = spawnSync(join(bin, 'azurite'), words, { encoding: 'utf8', timeout: limitMs });
  const took = Date.now() - begin;
  assert.equal(status, 0, `${words} ended with ${status}`);
  assert.match(stdout, answer);
  return took > toolMs ? `${words} took ${took} ms, longer than the tool waits; ` : '';
}

async function startAs({ program = 'azurite', question, words, variables, waits, limitMs: toolMs, stop }, folder) {
  const asked = question ? ask(dropIn, question) : '';
  const begin = Date.now();
  const started = startProgram(dropIn, program, words(folder), folder, variables);
  try {
    for (const { name, holds } of waits) await until(name, () => holds(started.output), started);
    const took = Date.now() - begin;
    const late = took > toolMs ? ', longer than the tool waits' : '';
    return `${asked}ready in ${took} ms${late}; ${await stopProgram(started, stop)}`;
  } finally {
    started.killTree();
  }
}

/** Checks that exactly the conditions about tables hold, and that the tool's command line is accepted. */
async function startTablesAs({ program = 'azurite', words, variables, waits, needsTablesAlone, stop }, folder) {
  const started = startProgram(tables, program, words(folder), folder, variables);
  try {
    await until('tables', () => /service is successfully listening at/.test(started.output), started);
    await until('tables', ready('table').holds, started);
    for (const { name, service, holds } of waits) {
      const isAboutTables = service === 'table';
      assert.equal(await holds(started.output), isAboutTables, `${name}: expected ${isAboutTables}`);
    }
    const isContent = waits.every(({ service }) => service === 'table');
    assert.equal(isContent, needsTablesAlone === true);
    await stopProgram(started, stop);
    return isContent ? 'suffices' : 'the tool waits for blobs or queues';
  } finally {
    started.killTree();
  }
}

async function startAll(folder, words = []) {
  const started = startProgram(dropIn, 'azurite', words, folder);
  for (const service of services) await until(service, shape(service).holds, started);
  return started;
}

async function listensOnLoopback(folder) {
  const started = await startAll(folder);
  try {
    for (const service of services) assert.equal(await accepts(portOf[service], '127.0.0.2'), false, service);
    return await stopProgram(started);
  } finally {
    started.killTree();
  }
}

async function endsWithSupervisor(folder) {
  return stopProgram(await startAll(folder), 'SIGKILL');
}

async function keepsWrites(folder) {
  const connection = `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};TableEndpoint=http://127.0.0.1:${portOf.table}/devstoreaccount1;`;
  const client = TableClient.fromConnectionString(connection, 'Fruit', { allowInsecureConnection: true });
  const rows = Array.from({ length: 100 }, (_, at) => String(at));
  const first = await startAll(folder);
  await client.createTable();
  await Promise.all(rows.map((rowKey) => client.createEntity({ partitionKey: 'p', rowKey })));
  await stopProgram(first, 'kill tree');
  const again = await startAll(folder);
  try {
    for (const rowKey of rows) await client.getEntity('p', rowKey);
    return await stopProgram(again);
  } finally {
    again.killTree();
  }
}

async function startFile(program, folder) {
  const file = realpathSync(join(dropIn, program));
  assert.equal(basename(file), `${program}.mjs`);
  assert.equal(basename(dirname(file)), 'azurite', 'the package is installed as azurite');
  const started = startProgram(dropIn, process.execPath, [file], folder);
  const title = program === 'azurite' ? 'Blob' : `${program[8].toUpperCase()}${program.slice(9)}`;
  try {
    await until(
      'a line',
      () =>
        started.output.includes(`Azurite ${title} service successfully`) ||
        started.output.includes(`Azurite ${title} service is successfully`),
      started,
    );
    return await stopProgram(started);
  } finally {
    started.killTree();
  }
}
