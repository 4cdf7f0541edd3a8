// Builds the standalone binary dist/standalone/tabularium for this system: Node.js, the server and its files in one file.
//
//   npm run build && npm run build:standalone
//
// Source: https://nodejs.org/docs/latest-v20.x/api/single-executable-applications.html

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { inject } from 'postject';
import { withoutUnused } from '../bundle/plugins.mjs';
import { thirdPartyNotices } from '../bundle/third-party-notices.mjs';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'dist/standalone');
const isMac = process.platform === 'darwin';
const name = process.platform === 'win32' ? 'tabularium.exe' : 'tabularium';
const binary = join(target, name);
const bundle = join(target, 'main.cjs');
const prepared = join(target, 'sea.blob');
const config = join(target, 'sea.json');

/** The modules that work differently in the binary, and their replacements. */
const replaced = [
  [/[\\/]src[\\/]package-file\.ts$/, 'package-file.mjs'],
  [/[\\/]classic-level[\\/]binding\.js$/, 'binding.cjs'],
];

rmSync(target, { recursive: true, force: true });
mkdirSync(target);
const { metafile } = await build({
  entryPoints: [join(import.meta.dirname, 'main.mjs')],
  outfile: bundle,
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Names stay, so that an error shows the functions it passed.
  minifyWhitespace: true,
  minifySyntax: true,
  // A native binding of pg, which it takes only if the user has installed it.
  external: ['pg-native'],
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
  plugins: [withoutUnused, { name: 'replaced', setup: replaceModules }],
});

const addon = createRequire(createRequire(import.meta.url).resolve('classic-level'))('node-gyp-build').path(
  join(root, 'node_modules/classic-level'),
);
const page = readdirSync(join(root, 'dist/explorer')).map((file) => `dist/explorer/${file}`);
const assets = Object.fromEntries(['package.json', ...page].map((path) => [path, join(root, path)]));
writeFileSync(
  config,
  JSON.stringify({
    main: bundle,
    output: prepared,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: { ...assets, 'classic-level.node': addon },
  }),
);
execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'inherit' });

copyFileSync(process.execPath, binary);
chmodSync(binary, 0o755);
// A signature is of the program without the server. Mac starts no program whose signature is wrong.
if (isMac) execFileSync('codesign', ['--remove-signature', binary], { stdio: 'inherit' });
await inject(binary, 'NODE_SEA_BLOB', readFileSync(prepared), {
  sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  ...(isMac && { machoSegmentName: 'NODE_SEA' }),
});
if (isMac) execFileSync('codesign', ['--sign', '-', binary], { stdio: 'inherit' });

const checksum = createHash('sha256').update(readFileSync(binary)).digest('hex');
writeFileSync(`${binary}.sha256`, `${checksum}  ${name}\n`);
writeFileSync(join(target, 'THIRD-PARTY-NOTICES'), thirdPartyNotices(name, metafile, root));
for (const file of [bundle, prepared, config]) rmSync(file);

/** @param {import('esbuild').PluginBuild} build */
function replaceModules({ onLoad }) {
  for (const [filter, file] of replaced) {
    onLoad({ filter }, () => ({
      contents: readFileSync(join(import.meta.dirname, file), 'utf8'),
      resolveDir: import.meta.dirname,
      loader: 'js',
    }));
  }
}
