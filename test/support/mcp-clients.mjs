// Asks a built server as clients of the Model Context Protocol do: `npm run test:mcp`. The inspector's command line calls tools on
// standard input and output and over HTTP, and the conformance suite runs its scenarios that need no tools of their own. Both are
// installed at the first run, in node_modules/.cache. The inspector needs Node.js 22.19: this one, or that of TABULARIUM_NODE24.
import { execFileSync, execSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newerSource } from './programs/check-built.mjs';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/mcp-clients');
const packages = ['@modelcontextprotocol/inspector@2.12.0', '@modelcontextprotocol/conformance@0.1.16'];
const program = join(root, 'dist/main.js');

/** The scenarios for a server that has none of the suite's own tools, resources and prompts. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];

const node = process.env['TABULARIUM_NODE24'] ?? process.execPath;
const [major, minor] = execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1).split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stdout.write(
    'Skipped: the inspector needs Node.js 22.19. Set TABULARIUM_NODE24 to the program of a newer one.\n',
  );
  process.exit();
}
if (newerSource() !== undefined) execSync('npm run --silent build', { cwd: root, stdio: 'inherit' });
if (!packages.every((name) => existsSync(join(folder, 'node_modules', name.slice(0, name.lastIndexOf('@')))))) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  execSync(`npm install --ignore-scripts --no-audit --no-fund ${packages.join(' ')}`, {
    cwd: folder,
    stdio: 'inherit',
  });
}

const server = spawn(process.execPath, [program, '--silent', '--inMemoryPersistence', '--tablePort', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const url = await new Promise((resolve, reject) => {
    server.stdout.setEncoding('utf8').on('data', (text) => {
      const [, found] = /listening at (http:\S+)/.exec(text) ?? [];
      if (found) resolve(found);
    });
    server.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
  });
  for (const scenario of scenarios) {
    const words = ['server', '--url', `${url}/_tabularium/mcp`, '--scenario', scenario];
    run(join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'), words);
    process.stdout.write(`conformance ${scenario}: passed\n`);
  }
  for (const target of [[process.execPath, program, 'mcp', '--url', url], [`${url}/_tabularium/mcp`]]) useTools(target);
} finally {
  server.kill();
}

/** Calls tools at a target of the inspector, and checks what they say. */
function useTools(target) {
  const way = target.length === 1 ? 'over HTTP' : 'on standard input and output';
  check(inspect(target, 'tools/list', '--strict'), /"name": "entity_list"/, `tools/list ${way}`);
  const calls = [
    ['explain', { filter: "RowKey eq 'r'" }, /table-scan: Every entity of the table is read/],
    ['snapshot_create', { name: 'base' }, /base \d{4}-/],
    ['diff', { from: 'base' }, /Nothing was found/],
    ['entity_list', { table: 'Missing' }, /has no table Missing/],
    ['reset', { tabel: 'Orders' }, /There is no 'tabel'\. Did you mean 'table'\?/],
    ['snapshot_restore', { name: 'base' }, /\d tables? restored/],
  ];
  for (const [name, fields, expected] of calls) {
    const given = Object.entries(fields).flatMap(([field, value]) => ['--tool-arg', `${field}=${value}`]);
    check(inspect(target, 'tools/call', '--tool-name', name, ...given), expected, `${name} ${way}`);
  }
}

function inspect(target, method, ...words) {
  const file = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  return run(file, ['--cli', ...target, '--method', method, ...words]);
}

/** Runs a program of Node.js. Returns what it wrote, also if a tool failed, for which the inspector exits with 5. */
function run(file, words) {
  try {
    return execFileSync(node, [file, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (error.status === 5) return error.stdout;
    throw new Error(`${file} ${words.join(' ')}: ${error.status}\n${error.stdout}\n${error.stderr}`);
  }
}

function check(text, expected, title) {
  if (!expected.test(text)) throw new Error(`${title}: ${expected} is not in\n${text}`);
  process.stdout.write(`inspector ${title}: passed\n`);
}
