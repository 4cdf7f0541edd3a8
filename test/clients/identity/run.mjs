// Runs a program that uses DefaultAzureCredential with `tabularium exec`, as an app and as a reader. The program prints a line for
// each step: its name, a blank, and `ok`, the status and code of the rejection, or `cannot` and why. Usage: node run.mjs <client> <version> <command…>
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [client, version, ...command] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const steps = ['create-table', 'insert', 'upsert', 'transaction', 'list'];
const rejected = '403 AuthorizationPermissionMismatch';
const expected = {
  app: Object.fromEntries(steps.map((step) => [step, 'ok'])),
  reader: Object.fromEntries(steps.map((step) => [step, step === 'list' ? 'ok' : rejected])),
};

for (const [identity, answers] of Object.entries(expected)) {
  const output = await runAs(identity);
  const found = new Map(output.split('\n').map((line) => [line.split(' ', 1)[0], line.replace(/^\S+ /, '').trim()]));
  for (const [step, answer] of Object.entries(answers)) {
    const [, cannot] = /^cannot (.+)$/.exec(found.get(step) ?? '') ?? [];
    const result = cannot ? 'cannot' : found.get(step) === answer ? 'held' : 'failed';
    const why = result === 'failed' ? `expected ${answer}; got ${found.get(step)}` : (cannot ?? '');
    if (result === 'failed') process.exitCode = 1;
    console.log(`${client}, ${identity}, ${step}: ${result === 'held' ? answer : why}`);
    const line = { client, version, check: `${identity}: ${step}`, result, why, framework: true };
    appendFileSync(process.env.TABLES_RESULTS ?? '/dev/null', `${JSON.stringify(line)}\n`);
  }
}

/** Runs the command as an identity, with a server of its own that has a table. Returns its standard output. */
function runAs(identity) {
  const options = ['--identity', here('identities.json'), '--as', identity, '--seed', here('people.ndjson')];
  const words = [here('../../../dist/main.js'), 'exec', ...options, '--', ...command];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    output += piece;
  });
  return new Promise((resolve, reject) => child.on('error', reject).on('close', () => resolve(output)));
}
