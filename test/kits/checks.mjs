// What the suite of every kit has to show: see `languages.mjs`. Each check throws an error that says what is wrong.
import { strict as assert } from 'node:assert';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathWithout, runMarked } from './marked-run.mjs';

const program = resolve(import.meta.dirname, '../../dist/main.js');
const expected = readFileSync(join(import.meta.dirname, 'expected.txt'), 'utf8')
  .trimEnd()
  .split('\n');

/** How long a server may take to end after its test process. (Our choice: the machine may be busy.) Unit: milliseconds. */
const endMs = 10_000;

/** Runs 64 tests with servers of their own, then with one server for all processes, on which no branch is left. */
export async function checkParallel({ parallel, folder }) {
  const alone = await run(parallel, folder, { TABULARIUM_PROGRAM: program });
  assert.equal(alone.code, 0, alone.output);

  const shared = [
    process.execPath,
    program,
    'exec',
    '--',
    process.execPath,
    join(import.meta.dirname, 'no-branches.mjs'),
  ];
  const together = await run([...shared, ...parallel], folder, {});
  assert.equal(together.code, 0, together.output);
}

/** Runs the test that fails on purpose. Its output has the lines that all kits print. */
export async function checkReasons({ fails, folder }) {
  compareReasons(await run(fails(), folder, { TABULARIUM_PROGRAM: program }));
}

/** Does the same with the program of a package, without Node.js and without a variable. */
export async function checkPackage({ packaged, folder }, place) {
  compareReasons(await run(packaged.fails, folder, { PATH: pathWithout(join(place, 'bin'), ['node', 'tabularium']) }));
}

/** Ends the test process in one way. Its server ends, too. */
export async function checkEnd({ ends, folder }, place, how) {
  const file = join(place, `url-${how}`);
  const { code, output } = await run(ends, folder, { TABULARIUM_PROGRAM: program, KIT_FILE: file, KIT_END: how });
  assert.equal(code === 0, how === 'return', output);
  await assert.rejects(fetch(readFileSync(file, 'utf8')), 'the server still answers');
}

/** The ways in which a test process ends. */
export const endings = ['return', 'exception', 'exit', 'kill'];

/** Returns the wrong set-ups: variables, more words for the server, and the words of the error. Source: docs/testing.md. */
export function wrongSetUps(place) {
  const file = (name, text, mode) => {
    const path = join(place, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const withoutNode = () => pathWithout(join(place, 'bin'), ['node', 'tabularium']);
  const text = file('text', 'no program', 0o644);
  // It leaves a process that has its outputs, for as long as the test process runs.
  const behind = '(while kill -0 $PPID; do sleep 1; done) &';
  const other = file('other', `#!/bin/sh\n${behind}\necho '{hello'\necho not a server >&2\n`, 0o755);
  return {
    'no program': [
      { PATH: withoutNode() },
      /There is no Tabularium\. .*npm install --save-dev tabularium[\s\S]*TABULARIUM_PROGRAM[\s\S]*TABULARIUM_URL/,
    ],
    'no file': [
      { TABULARIUM_PROGRAM: '/no/such/file' },
      /TABULARIUM_PROGRAM is \/no\/such\/file, which is not a file\./,
    ],
    'no Node.js': [
      { TABULARIUM_PROGRAM: program, PATH: withoutNode() },
      /main\.js needs Node\.js 20\.19 or later, and there is no 'node' on the PATH\. The standalone binary needs none\./,
    ],
    'not a program': [{ TABULARIUM_PROGRAM: text }, /\/text cannot be run: \S/],
    'another program': [
      { TABULARIUM_PROGRAM: other },
      /\/other start .*--ready json ended before it was ready\.[\s\S]*not a server/,
    ],
    'a wrong argument': [
      { TABULARIUM_PROGRAM: program },
      /--tabelPort.* did not start: .*unknown option '--tabelPort'/,
      '--tabelPort',
    ],
    'a long wrong argument': [
      { TABULARIUM_PROGRAM: program },
      /--x+ did not start: .*unknown option '--x{20000}'/,
      `--${'x'.repeat(20_000)}`,
    ],
    'nobody there': [{ TABULARIUM_URL: 'http://127.0.0.1:1' }, /There is no server at http:\/\/127\.0\.0\.1:1: \S/],
    'no URL': [{ TABULARIUM_URL: 'localhost:10002' }, /There is no server at localhost:10002: \S/],
    'another server': [
      { TABULARIUM_URL: 'SERVER' },
      /The server at http:\/\/127\.0\.0\.1:\d+ is not Tabularium: status 200\./,
    ],
  };
}

/** Runs a test with a wrong set-up. It fails, and the error has the words. */
export async function checkWrong({ fails, folder }, [variables, words, ...more]) {
  const server = createServer((_, answer) => answer.end('hello'));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${server.address().port}`;
  const all = variables.TABULARIUM_URL === 'SERVER' ? { TABULARIUM_URL: url } : variables;
  const { code, output } = await run(fails(...more), folder, all).finally(() => server.close());
  assert.notEqual(code, 0);
  assert.match(output, words);
}

function compareReasons({ code, output }) {
  assert.notEqual(code, 0, 'the test was to fail');
  const lines = output
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/ of '[^']+':/g, " of 'NAME':")
    .split('\n')
    .map((line) => line.trimEnd());
  // A framework may write before the first line, and indent the others.
  const at = lines.findIndex((line) => line.endsWith(expected[0]));
  assert.notEqual(at, -1, `there are no reasons:\n${output}`);
  const found = lines.slice(at, at + expected.length);
  assert.deepEqual(
    found.map((line, index) => (line.endsWith(expected[index]) ? expected[index] : line)),
    expected,
  );
}

/** Runs a command, and waits until none of the processes that it started is left. Returns its exit code and output. */
async function run(command, folder, variables) {
  const { code, output, left } = await runMarked(command, folder, variables);
  const deadline = Date.now() + endMs;
  for (let pids = left(); pids.length > 0; pids = left()) {
    if (Date.now() > deadline) throw new Error(`processes are left: ${pids.join(', ')}\n${output}`);
    await wait(50);
  }
  return { code, output };
}
