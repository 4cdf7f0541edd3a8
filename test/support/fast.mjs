// Runs what one runs after every change: the fast tests, and lint and types beside them, because tests wait for sockets and timers.
import { spawn } from 'node:child_process';

const tsc = 'node_modules/typescript/bin/tsc';

/** Only files that have changed since the last run are checked again. */
const since = (name) => ['--incremental', '--tsBuildInfoFile', `node_modules/.cache/${name}.tsbuildinfo`];

/** The commands, as words for `node`. What lint and types find is printed at the end, where it is seen. */
const commands = {
  tests: ['--env-file=test/fast.env', 'node_modules/vitest/vitest.mjs', 'run', '--project=fast', '--project=alone'],
  lint: ['node_modules/@biomejs/biome/bin/biome', 'check'],
  types: [tsc, '--noEmit', '-p', 'test/tsconfig.json', ...since('test')],
  'types of the page': [tsc, '-p', 'src/explorer', ...since('explorer')],
  'types of the extension': [tsc, '-p', 'src/vscode', ...since('vscode')],
};

const results = await Promise.all(Object.entries(commands).map(run));
for (const { name, code, output } of results.filter(({ code }) => code !== 0)) {
  process.stderr.write(`\n${output}\n${name}: failed\n`);
  process.exitCode = code;
}

function run([name, words]) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, {
      stdio: ['ignore', name === 'tests' ? 'inherit' : 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject).once('close', (code) => resolve({ name, code: code ?? 1, output }));
  });
}
