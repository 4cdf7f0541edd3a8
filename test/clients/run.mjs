// Runs the client suites that this machine can run: `npm run write -- clients`, or some of them with `npm run write -- clients go`.
// Prints a table and writes docs/clients.md; `--no-page` leaves the page as it is.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { writePage } from './page.mjs';
import { countResults } from './results.mjs';
import { startServers } from './servers.mjs';
import { missingPrograms, suites } from './suites.mjs';

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const unknown = names.filter((name) => !(name in suites));
if (unknown.length > 0) throw new Error(`There is no suite ${unknown}. Suites: ${Object.keys(suites).join(', ')}`);

const chosen = Object.entries(suites).filter(([name]) => names.length === 0 || names.includes(name));
const ran = [];
const leftOut = Object.keys(suites).filter((name) => !chosen.some(([one]) => one === name));
for (const [name, suite] of chosen) {
  const missing = missingPrograms(suite);
  if (missing.length === 0) ran.push(await runSuite(name, suite));
  else leftOut.push(`${name} (not on this machine: ${missing.join(', ')})`);
}
printTable();
if (!words.includes('--no-page')) writePage(ran.filter(({ clients }) => clients.length > 0));
process.exitCode = ran.some(({ failed }) => failed) ? 1 : 0;

/**
 * Runs one suite with servers of its own. A suite fails by its exit code, a failed check, or a logged server error. One that
 * cannot be prepared fails without results, so that the others still run.
 */
async function runSuite(suite, { folder = '.', prepare, run, trust }) {
  const started = Date.now();
  for (const command of prepare) {
    const code = await tryCommand(command, folder);
    if (code === 0) continue;
    console.log(`${suite}: the command ended with ${code}: ${command.join(' ')}`);
    return { suite, clients: [], failed: true, preparation: Date.now() - started, duration: 0 };
  }
  const servers = await startServers();
  try {
    const prepared = Date.now();
    const results = join(servers.folder, 'results.jsonl');
    const cases = resolve('test/clients/cases.json');
    const trusted = trust ? { [trust]: servers.variables.TABLES_CERTIFICATE } : {};
    const code = await runCommand(run, folder, {
      ...servers.variables,
      TABLES_RESULTS: results,
      TABLES_CASES: cases,
      ...trusted,
    });
    const clients = countResults(results);
    const errors = await servers.errors();
    for (const error of errors) console.log(`${suite}: the server logged ${JSON.stringify(error)}`);
    const ended = Date.now();
    const failed =
      code !== 0 || errors.length > 0 || clients.length === 0 || clients.some((one) => one.failed.length > 0);
    const where = `${process.platform}, ${new Date().toISOString().slice(0, 10)}`;
    return { suite, clients, failed, where, preparation: prepared - started, duration: ended - prepared };
  } finally {
    await servers.stop();
  }
}

/** Runs a command that fetches packages, up to three times, because a registry may not answer. Returns its last exit code. */
async function tryCommand(command, folder) {
  let code;
  for (let tries = 0; tries < 3; tries++) {
    code = await runCommand(command, folder, {});
    if (code === 0) break;
  }
  return code;
}

/** Runs a command with more variables, and returns its exit code. */
function runCommand([program, ...args], folder, variables) {
  const child = spawn(program, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, ...variables } });
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
}

function printTable() {
  const seconds = (time) => `${(time / 1000).toFixed(1)} s`;
  console.table(
    ran.flatMap(({ suite, clients, preparation, duration }) =>
      clients.map(({ client, version, all, held, cannot, failed }) => ({
        suite,
        client,
        version,
        held: `${held.length} of ${all}`,
        cannot: cannot.length,
        failed: failed.length,
        prepared: seconds(preparation),
        ran: seconds(duration),
      })),
    ),
  );
  for (const { suite, clients } of ran)
    for (const { client, failed } of clients)
      for (const { check, why } of failed) console.log(`${suite}, ${client}: ${check} failed: ${why}`);
  if (leftOut.length > 0) console.log(`Left out: ${leftOut.join(', ')}`);
}
