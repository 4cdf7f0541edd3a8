// Packs the extension for VS Code: dist/vscode/tabularium.vsix, with the built server for all platforms. It needs `npm run build`.
//
//   node src/vscode/build.mjs
//
// The packer is installed at the first run, in node_modules/.cache.

import { execFileSync, execSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { build } from 'esbuild';

const source = import.meta.dirname;
const root = join(source, '../..');
const target = join(root, 'dist/vscode');
const stage = join(target, 'extension');
const packer = '@vscode/vsce@3.9.2';

/** Largest package. Unit: bytes. (Our choice: editors download it before they show anything.) */
const sizeMax = 4 * 1024 * 1024;

rmSync(target, { recursive: true, force: true });
await bundle();
copyServer();
copyPage();
copyManifest();
pack();

/** Bundles the extension, and the script that runs in its tab before the page. */
async function bundle() {
  const options = { absWorkingDir: root, bundle: true, minify: true, legalComments: 'none', logLevel: 'warning' };
  const { metafile } = await build({
    ...options,
    entryPoints: ['src/vscode/extension.ts'],
    outfile: join(stage, 'extension.cjs'),
    platform: 'node',
    format: 'cjs',
    // The oldest editor that the manifest allows has this one.
    target: 'node22',
    external: ['vscode'],
    metafile: true,
  });
  const foreign = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'));
  if (foreign.length > 0) throw new Error(`The extension has code without its license: ${foreign.join(', ')}`);
  await build({
    ...options,
    entryPoints: ['src/vscode/page/page-host.ts'],
    outfile: join(stage, 'page/page-host.js'),
    format: 'iife',
    target: 'chrome123',
  });
}

/** Copies the server as npm publishes it, without source maps and the library, and the addon of its storage engine. */
function copyServer() {
  const server = join(stage, 'server');
  const copy = (from, to = from, filter = () => true) =>
    cpSync(join(root, from), join(server, to), { recursive: true, filter });
  const { name, version, type, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  mkdirSync(server, { recursive: true });
  writeFileSync(join(server, 'package.json'), JSON.stringify({ name, version, type, license }));
  copy('src/vscode/server/run-server.mjs', 'run-server.mjs');
  copy('docker/azurite/end-with-parent.mjs', 'end-with-parent.mjs');
  for (const file of readdirSync(join(root, 'dist')))
    if (/\.js$|^THIRD-PARTY-NOTICES$/.test(file)) copy(`dist/${file}`);
  copy('dist/explorer');
  // The bundle has the rest of these packages.
  for (const file of ['package.json', 'binding.js', 'LICENSE', 'prebuilds']) copy(`node_modules/classic-level/${file}`);
  for (const file of ['package.json', 'index.js', 'node-gyp-build.js', 'LICENSE'])
    copy(`node_modules/node-gyp-build/${file}`);
}

/** Copies the page, uncompressed: the tab loads its files from the extension. */
function copyPage() {
  const folder = join(root, 'dist/explorer');
  for (const name of readdirSync(folder)) {
    const [, file] = /^(.*)\.br$/.exec(name) ?? [];
    if (file) writeFileSync(join(stage, 'page', file), brotliDecompressSync(readFileSync(join(folder, name))));
  }
}

function copyManifest() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  writeFileSync(join(stage, 'package.json'), JSON.stringify({ ...manifest, version }, null, 2));
  cpSync(join(source, 'README.md'), join(stage, 'README.md'));
  cpSync(join(source, 'media'), join(stage, 'media'), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
}

function pack() {
  const folder = join(root, 'node_modules/.cache/vscode-packer');
  const program = join(folder, 'node_modules/@vscode/vsce/vsce');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    execSync(`npm install --ignore-scripts --no-audit --no-fund ${packer}`, { cwd: folder, stdio: 'inherit' });
  }
  const vsix = join(target, 'tabularium.vsix');
  const words = ['package', '--no-dependencies', '--allow-missing-repository', '--out', vsix];
  execFileSync(process.execPath, [program, ...words], { cwd: stage, stdio: 'pipe' });
  const { size } = statSync(vsix);
  if (size > sizeMax) throw new Error(`The extension has ${size} bytes, more than ${sizeMax}.`);
  process.stdout.write(`dist/vscode/tabularium.vsix: ${size} bytes\n`);
}
