import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const dropIn = join(repository, 'docker/azurite');

/** Builds the drop-in, installs it in `folder` as the documentation says, and returns the folder of its programs. */
export function installDropIn(folder) {
  if (!existsSync(join(dropIn, 'node_modules/azurite'))) npm(dropIn, 'ci', '--prefer-offline');
  npm(dropIn, 'run', '--silent', 'build');
  const [server, azurite] = [repository, join(dropIn, 'package')].map((path) => pack(path, folder));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  npm(folder, 'install', '--prefer-offline', '--save-dev', `./${server}`, `azurite@file:${azurite}`);
  return join(folder, 'node_modules/.bin');
}

/** Links the server, which serves tables alone, under Azurite's names. Returns the folder of the links. */
export function linkTables(folder) {
  const bin = join(folder, 'tables');
  mkdirSync(bin);
  for (const name of ['azurite', 'azurite-table']) {
    const program = join(folder, 'node_modules/tabularium/dist/main.js');
    symlinkSync(program, join(bin, name));
  }
  return bin;
}

function pack(path, folder) {
  const report = JSON.parse(npm(folder, 'pack', '--json', path));
  return Object.values(report)[0].filename;
}

function npm(cwd, ...words) {
  return execFileSync('npm', [...words, '--no-audit', '--no-fund'], { cwd, encoding: 'utf8', stdio: 'pipe' });
}
