// Compiles the Testcontainers examples, and runs them where Docker has their image: npm run test:long -- samples, or some of them with
// npm run test:long -- samples go java.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const examples = resolve('examples/testcontainers');
const image = 'tabularium:full';
const environment = resolve('.clients/testcontainers');
const python = join(environment, 'bin/python');
const typescript = resolve('node_modules/.bin/tsc');
const checked = [
  '--ignoreConfig',
  '--noEmit',
  '--checkJs',
  '--strict',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2023',
];

/**
 * Examples by the name of their folder. `needs` are programs, `compile` the commands that fetch the packages and check the code,
 * `run` the command of a user. `fits` returns whether the installed version of a toolchain can run the example.
 */
const samples = {
  node: {
    needs: ['npm'],
    compile: [
      ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'],
      [typescript, ...checked, '--types', 'node', 'fruit.test.mjs'],
    ],
    run: ['npm', 'test'],
    fits: () => Number(process.versions.node.split('.')[0]) >= 22,
  },
  python: {
    needs: ['python3'],
    compile: [
      ...(existsSync(python) ? [] : [['python3', '-m', 'venv', environment]]),
      [python, '-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt'],
      [python, '-m', 'pytest', '--quiet', '-p', 'no:cacheprovider', '--collect-only'],
    ],
    run: [python, '-m', 'pytest', '--quiet', '-p', 'no:cacheprovider'],
  },
  go: { needs: ['go'], compile: [['go', 'vet', './...']], run: ['go', 'test', '-count=1', './...'] },
  java: {
    needs: ['java', 'mvn'],
    compile: [['mvn', '--quiet', '--batch-mode', 'test-compile']],
    run: ['mvn', '--quiet', '--batch-mode', 'surefire:test'],
  },
  rust: { needs: ['cargo'], compile: [['cargo', 'test', '--quiet', '--no-run']], run: ['cargo', 'test', '--quiet'] },
  dotnet: { needs: ['dotnet'], compile: [['dotnet', 'build', '--nologo']], run: ['dotnet', 'test', '--no-build'] },
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in samples));
if (unknown.length > 0) throw new Error(`There is no example ${unknown}. Examples: ${Object.keys(samples).join(', ')}`);

const hasImage = spawnSync('docker', ['image', 'inspect', image], { stdio: 'ignore' }).status === 0;
const failed = [];
for (const [name, { needs, compile, run, fits = () => true }] of Object.entries(samples)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const missing = needs.filter((program) => spawnSync('which', [program], { stdio: 'ignore' }).status !== 0);
  if (missing.length > 0) {
    console.log(`${name}: left out, not on this machine: ${missing.join(', ')}`);
    continue;
  }
  const canRun = hasImage && fits();
  const commands = canRun ? [...compile, run] : compile;
  const command = commands.find(([program, ...words]) => !succeeds(program, words, join(examples, name)));
  if (command) failed.push(name);
  if (command) console.log(`${name}: failed: ${command.join(' ')}`);
  else console.log(`${name}: ${canRun ? 'compiled and ran' : `compiled; did not run, ${reason(fits())}`}`);
}
process.exitCode = failed.length > 0 ? 1 : 0;

function reason(fitsHere) {
  return hasImage && !fitsHere ? 'because it needs a newer toolchain' : `because Docker has no image ${image} here`;
}

/** Runs a command, and shows its output only if it fails. */
function succeeds(program, words, cwd) {
  // Otherwise Testcontainers fetches a container of its own, which removes others when the tests end.
  const env = { TESTCONTAINERS_RYUK_DISABLED: 'true', ...process.env };
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, env, encoding: 'utf8' });
  if (status !== 0) console.log(error?.message ?? `${stdout}${stderr}`);
  return status === 0;
}
