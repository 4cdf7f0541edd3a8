// What the bundles of the server leave out, as plugins of esbuild.

import { readFileSync } from 'node:fs';

/**
 * Packages that Fastify loads on demand, and never here: no route has a schema, and no request is simulated. Code that did
 * load one would get an error.
 */
const neverLoaded = /^(?:@fastify\/(?:ajv|fast-json-stringify)-compiler|light-my-request)$/;

/** @type {import('esbuild').Plugin} */
export const withoutUnused = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: neverLoaded }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not in the bundle of Tabularium.`)});`,
    }));
  },
};

/** Loads the addon of LevelDB from its installed package, which has one for each system. @type {import('esbuild').Plugin} */
export const installedAddon = {
  name: 'installed-addon',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
      /[\\/]classic-level[\\/]/.test(importer) ? { path: 'classic-level/binding.js', external: true } : undefined,
    );
  },
};

/** The source map of a file whose lines map to nothing. */
const emptyMap = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');

/** Keeps packages out of source maps, which become a third as large. @type {import('esbuild').Plugin} */
export const ownSourceMaps = {
  name: 'own-source-maps',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`,
    }));
  },
};
