// Builds the wheel of the built program into a folder: node src/kits/python-server/build.mjs FOLDER [PYTHON]. Needs npm, and pip of PYTHON.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const [folder = join(root, 'dist-wheel'), python = 'python3'] = process.argv.slice(2);
const modules = join(import.meta.dirname, 'tabularium_server/node_modules');
const work = mkdtempSync(join(tmpdir(), 'tabularium-wheel-'));
const run = (program, ...words) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
try {
  rmSync(modules, { recursive: true, force: true });
  const [{ filename }] = Object.values(JSON.parse(run('npm', 'pack', '--json', '--pack-destination', work, root)));
  // The addon of the storage engine has a build for each system in one package, so that the wheel is the same for all.
  const install = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  run('npm', ...install, '--prefix', join(modules, '..'), join(work, filename));
  for (const name of ['package.json', 'package-lock.json']) rmSync(join(modules, '..', name), { force: true });
  process.stdout.write(
    run(python, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', resolve(folder), import.meta.dirname),
  );
} finally {
  rmSync(work, { recursive: true, force: true });
  rmSync(modules, { recursive: true, force: true });
}
