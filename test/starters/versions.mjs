// Runs the tests of a project on each version of Vitest that the package supports, and starts the package with a Node.js that it
// does not: npm run test:long -- versions. Fetches Vitest and Node.js from npm, into a temporary folder. Prints a line for each version.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tabularium-versions-'));

/** Versions of Vitest, each with a Node.js that runs it. */
const vitests = { 3: 22, 4: 22, 5: 24 };

function npm(cwd, ...words) {
  return execFileSync('npm', [...words, '--no-audit', '--no-fund'], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

/** Installs a version of Node.js, and returns its program. */
function installNode(version) {
  const place = join(folder, `node-${version}`);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  npm(place, 'install', '--prefer-offline', `node@${version}`);
  return join(place, 'node_modules/node/bin/node');
}

/** Runs the tests of the example on a version of Vitest. Returns the versions that ran, and how many tests passed. */
function runExample(version, tarball, node) {
  const place = join(folder, `vitest-${version}`);
  cpSync(join(root, 'test/package/example-vitest'), place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"private":true,"type":"module"}');
  npm(place, 'install', '--prefer-offline', tarball, `vitest@${version}`, '@azure/data-tables', '@types/node@22');
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', '--outputFile=report.json'];
  const ran = spawnSync(node, words, { cwd: place, encoding: 'utf8' });
  assert.equal(ran.status, 0, `${ran.stdout}\n${ran.stderr}`);
  const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(join(place, 'report.json'), 'utf8'));
  assert.equal(numPassedTests, numTotalTests);
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--skipLibCheck', '-p', place], {
    stdio: 'inherit',
  });
  const installed = JSON.parse(readFileSync(join(place, 'node_modules/vitest/package.json'), 'utf8')).version;
  return `Vitest ${installed}: ${numPassedTests} tests passed, and its types fit`;
}

try {
  const [{ filename }] = Object.values(JSON.parse(npm(root, 'pack', '--json', '--pack-destination', folder)));
  for (const [version, nodeVersion] of Object.entries(vitests)) {
    const node = installNode(nodeVersion);
    console.log(`${runExample(version, join(folder, filename), node)}, on Node.js ${nodeVersion}`);
  }

  const old = installNode(18);
  const sentence = /^Tabularium needs Node\.js [\d., or newer]+; this is Node\.js 18\.[\d.]+\.\n$/;
  const program = spawnSync(old, [join(root, 'dist/main.js'), 'start'], { encoding: 'utf8' });
  assert.equal(program.status, 2);
  assert.match(program.stdout + program.stderr, sentence);
  const library = JSON.stringify(pathToFileURL(join(root, 'dist/index.js')));
  const script = `import(${library}).then((all) => all.startTabularium()).catch(({ message }) => console.log(message))`;
  assert.match(execFileSync(old, ['--eval', script], { encoding: 'utf8' }), sentence);
  console.log('Node.js 18: one sentence, from the program and from the library');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
