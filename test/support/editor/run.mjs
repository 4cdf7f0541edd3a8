// Journeys through the extension in VS Code: npm run test:long -- vscode. VS Code is code-server, which is installed at the first run
// (590 MB) and needs Node.js 24: this one, or that of TABULARIUM_NODE24. Prints a line for each part of a journey, and keeps pictures
// in dist/vscode/pictures.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { freePort, installCodeServer, startCodeServer } from './code-server.mjs';
import { journeys } from './journeys.mjs';
import { packAzuriteDouble } from './pack-azurite-double.mjs';
import { EditorWindow } from './window.mjs';

const root = join(import.meta.dirname, '../../..');
const node = process.env.TABULARIUM_NODE24 ?? process.execPath;
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

const missing = !execFileSync(node, ['--version'], { encoding: 'utf8' }).startsWith('v24.')
  ? 'code-server needs Node.js 24. Set TABULARIUM_NODE24 to its program.'
  : existsSync(executablePath)
    ? undefined
    : `there is no browser at ${executablePath}. Set CHROMIUM.`;
if (missing !== undefined) {
  process.stdout.write(`Skipped: ${missing}\n`);
  process.exit();
}

const program = installCodeServer(node);
execFileSync(process.execPath, [join(root, 'src/vscode/build.mjs')], { stdio: 'inherit' });
const place = mkdtempSync(join(tmpdir(), 'tabularium-vscode-'));
const pictures = join(root, 'dist/vscode/pictures');
mkdirSync(pictures, { recursive: true });
const began = Date.now();
const say = (text) => process.stdout.write(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
const extensions = [join(root, 'dist/vscode/tabularium.vsix'), packAzuriteDouble(place)];
const editors = [await startCodeServer({ node, program, place, extensions })];
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const context = await browser.newContext({
  viewport: { width: 1400, height: 900 },
  permissions: ['clipboard-read', 'clipboard-write'],
});
const windows = [];
const hosts = new Set();
context.on('request', (request) => hosts.add(new URL(request.url()).host));
say('the extension is installed, and the editor listens');

/** What the journeys share: a folder with settings, and a window that has it open. */
const stage = {
  ...{ root, place, say },
  freePort,
  /** Makes a folder with settings. Returns its path. */
  folder(name, settings, files = {}) {
    const path = join(place, name);
    mkdirSync(join(path, '.vscode'), { recursive: true });
    const named = Object.entries(settings).map(([key, value]) => [`tabularium.${key}`, value]);
    writeFileSync(join(path, '.vscode/settings.json'), JSON.stringify(Object.fromEntries(named)));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content);
    return path;
  },
  async open(folder) {
    const window = await EditorWindow.open(context, editors.at(-1).url, folder);
    windows.push(window);
    return window;
  },
  /** Windows that are opened after this ask whether to trust their folders. */
  async askForTrust() {
    const apart = join(place, 'asks');
    editors.push(await startCodeServer({ node, program, place: apart, extensions, asksForTrust: true }));
  },
  picture: (window, name) => window.page.screenshot({ path: join(pictures, `${name}.png`) }),
};

try {
  for (const [title, journey] of Object.entries(journeys)) {
    if (process.argv[2] !== undefined && !title.includes(process.argv[2])) continue;
    await journey(stage);
    say(`${title}: passed`);
    const faults = windows.flatMap((window) => window.faults);
    if (faults.length > 0) throw new Error(`${title}: ${faults.join('\n')}`);
    for (const window of windows.splice(0)) await window.page.close();
  }
  // The catalog of extensions is code-server's own business.
  const others = [...hosts].filter(
    (host) => host !== '' && !editors.some(({ url }) => new URL(url).host === host) && host !== 'open-vsx.org',
  );
  if (others.some((host) => !/vscode-cdn\.net$/.test(host))) throw new Error(`The window asked ${others.join(', ')}.`);
} catch (error) {
  process.exitCode = 1;
  process.stdout.write(`${error.stack}\n`);
  for (const [at, window] of windows.entries()) await stage.picture(window, `failed-${at}`).catch(() => {});
} finally {
  await browser.close();
  await Promise.all(editors.map(({ stop }) => stop()));
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}
