// Builds the standalone binary and runs it without Node.js on the path: it serves tables and its page, and keeps its data after a
// kill. npm run test:long -- standalone. Prints its size and how long it takes to start.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TableClient } from '@azure/data-tables';

const root = fileURLToPath(new URL('../..', import.meta.url));
execFileSync(process.execPath, [join(root, 'src/standalone/build.mjs')], { cwd: root, stdio: 'inherit' });

const isWindows = process.platform === 'win32';
const folder = mkdtempSync(join(tmpdir(), 'tabularium-standalone-'));
const binary = join(folder, isWindows ? 'tabularium.exe' : 'tabularium');
const addons = join(folder, 'temporary');
const data = join(folder, 'data');
copyFileSync(join(root, 'dist/standalone', isWindows ? 'tabularium.exe' : 'tabularium'), binary);
// The variables without which Windows starts no program at all, and a path with nothing on it.
const env = { PATH: '', SystemRoot: process.env.SystemRoot, TMPDIR: addons, TEMP: addons, TMP: addons };
mkdirSync(addons);

const running = [];
try {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(execFileSync(binary, ['--version'], { env, encoding: 'utf8' }).trim(), version);

  const first = await start();
  await tableAt(first.url).createTable();
  await tableAt(first.url).createEntity({ partitionKey: 'citrus', rowKey: 'lemon', color: 'yellow' });
  const page = await fetch(new URL('/_tabularium/', first.url), { headers: { Accept: 'text/html' } });
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<script/);
  const ended = once(first.server, 'exit');
  first.server.kill('SIGKILL');
  await ended;

  const second = await start();
  assert.equal((await tableAt(second.url).getEntity('citrus', 'lemon')).color, 'yellow');
  if (!isWindows) assert.deepEqual(readdirSync(addons), []);
  const megabytes = (statSync(binary).size / 2 ** 20).toFixed(1);
  console.log(
    `standalone: ${megabytes} MiB, started in ${first.took} and ${second.took} ms, kept its data after a kill`,
  );
} finally {
  const ends = running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  for (const server of ends) server.kill('SIGKILL');
  await Promise.all(ends.map((server) => once(server, 'exit')));
  rmSync(folder, { recursive: true, maxRetries: 5 });
}

/** Starts the binary and returns its URL, once it is ready. */
async function start() {
  const began = performance.now();
  const server = spawn(binary, ['--silent', '--tablePort', '0', '--location', data], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(server);
  for await (const line of createInterface({ input: server.stdout })) {
    const [, url] = /successfully listening at (\S+)/.exec(line) ?? [];
    if (url) return { server, url, took: Math.round(performance.now() - began) };
  }
  throw new Error('The binary ended before it was ready.');
}

function tableAt(url) {
  const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
  const connection = `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};TableEndpoint=${url}/devstoreaccount1;`;
  return TableClient.fromConnectionString(connection, 'Fruit', { allowInsecureConnection: true });
}
