// Installs code-server, VS Code in a browser, and runs it with the extension.
import { execFileSync, execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** VS Code 1.139.1. A newer one may look different: raise it by hand. */
const version = '4.139.1';

/** Settings that leave out of the window what is not ours. */
const plain = {
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'remote.autoForwardPorts': false,
};

/** Installs code-server at the first run. Without installation scripts nothing is compiled; what is missing then only logs errors. */
export function installCodeServer(node) {
  const folder = join(root, `node_modules/.cache/code-server-${version}`);
  const program = join(folder, 'node_modules/code-server');
  const install = 'npm install --ignore-scripts --no-audit --no-fund';
  const options = { stdio: 'inherit', env: environmentOf(node) };
  if (!existsSync(join(program, 'lib/vscode/node_modules'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    execSync(`${install} code-server@${version}`, { ...options, cwd: folder });
    execSync(`${install} --omit=dev`, { ...options, cwd: join(program, 'lib/vscode') });
  }
  return program;
}

/**
 * Starts code-server with extensions, in folders of its own below `place`. It asks whether to trust a folder only if it should. Returns
 * its URL and the function that ends it.
 */
export async function startCodeServer({ node, program, place, extensions, asksForTrust = false }) {
  const env = { ...environmentOf(node), HOME: join(place, 'home'), XDG_DATA_HOME: join(place, 'home/data') };
  env.XDG_CONFIG_HOME = join(place, 'home/config');
  mkdirSync(env.HOME, { recursive: true });
  mkdirSync(join(place, 'user/User'), { recursive: true });
  writeFileSync(join(place, 'user/User/settings.json'), JSON.stringify(plain));
  const folders = ['--user-data-dir', join(place, 'user'), '--extensions-dir', join(place, 'extensions')];
  for (const vsix of extensions)
    execFileSync(node, [program, ...folders, '--install-extension', vsix], { env, stdio: 'pipe' });
  const port = await freePort();
  const words = ['--auth', 'none', '--disable-telemetry', '--disable-update-check'];
  if (!asksForTrust) words.push('--disable-workspace-trust');
  words.push('--disable-getting-started-override', '--bind-addr', `127.0.0.1:${port}`, ...folders);
  const child = spawn(node, [program, ...words], { env, stdio: 'ignore', detached: true });
  const url = `http://127.0.0.1:${port}`;
  await until('code-server listens', () => fetch(`${url}/healthz`).then(({ ok }) => ok));
  const stop = async () => {
    const ended = once(child, 'exit');
    // The group has the hosts of extensions, too.
    process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
  return { url, stop };
}

function environmentOf(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
}

/** Returns a port that nothing uses. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits for a condition. Errors: Error that names it, after a minute. */
export async function until(title, holds) {
  const last = Date.now() + 60_000;
  for (let fault = ''; ; ) {
    const value = await Promise.resolve()
      .then(holds)
      .catch((error) => {
        fault = error.message;
      });
    if (value) return value;
    if (Date.now() > last) throw new Error(`Not within a minute: ${title}. ${fault}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
