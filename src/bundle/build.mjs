// Bundles the command, the library and the setup for Vitest into dist, with the packages that they use. A program of few files
// starts faster than one of many. Modules imported on demand stay in their own files.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { installedAddon, ownSourceMaps, withoutUnused } from './plugins.mjs';
import { startFiles } from './start-files.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const root = join(import.meta.dirname, '../..');

/** @type {import('esbuild').BuildOptions & { plugins: import('esbuild').Plugin[] }} */
const options = {
  entryPoints: ['main', 'index', 'vitest', 'vitest/marks'].map((name) => ({ in: `src/${name}.ts`, out: name })),
  outdir: 'dist',
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  // Code finds the files of the package beside its own, so all chunks are in one folder.
  chunkNames: '[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Modules first: esbuild drops their unused exports.
  mainFields: ['module', 'main'],
  // A native binding of pg, which it takes only if the user has installed it.
  external: ['vitest', 'pg-native'],
  plugins: [withoutUnused, installedAddon, ownSourceMaps],
  // Bundled packages call `require` for modules of Node.js.
  banner: {
    js: "const require = (id) => process.getBuiltinModule(id) ?? process.getBuiltinModule('module').createRequire(import.meta.url)(id);",
  },
  sourcemap: 'linked',
  // Node.js parses whatever it loads: without white space, a third less.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
};
const { metafile } = await build({
  ...options,
  plugins: [await startFiles(options), ...options.plugins],
  // The plugin imports modules only to keep them together.
  logOverride: { 'ignored-bare-import': 'silent' },
  metafile: true,
});
writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES'), thirdPartyNotices('Tabularium', metafile, root));
writeFileSync(join(root, 'build/bundle.json'), JSON.stringify(metafile));
