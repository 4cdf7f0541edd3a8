// Plugins of esbuild that keep unused parts out of the bundles of the server.

import { readFileSync } from 'node:fs';

/**
 * Packages that Fastify and pino use only with options that no server sets: schemas of routes, simulated requests, addresses
 * behind a proxy, versions of plugins, HTTP/2, and logs written by another thread.
 */
const unused =
  /^(?:@fastify\/(?:ajv-compiler|fast-json-stringify-compiler|proxy-addr)|light-my-request|node:http2|semver|thread-stream)$/;

/**
 * Leaves these out: a server starts faster without them. Code that uses one gets an error.
 *
 * @type {import('esbuild').Plugin}
 */
export const withoutUnused = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: unused }, ({ path, importer }) =>
      /[\\/]node_modules[\\/](?:fastify|pino)[\\/]/.test(importer) ? { path, namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `
        const reject = () => { throw new Error(${JSON.stringify(`${path} is not in the bundle of Tabularium.`)}); };
        module.exports = new Proxy(reject, { get: reject, apply: reject, construct: reject });
      `,
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
