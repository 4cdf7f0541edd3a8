// Builds the npm package in the folder `package`: the programs beside this file, and one bundle of Azurite's blob and
// queue services. The image `full` contains the same folder.
//
//   npm ci && npm run build

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const source = import.meta.dirname;
const target = join(source, 'package');
const repository = join(source, '../..');
/** The programs of the package: those that Azurite has. */
const programs = ['azurite', 'azurite-blob', 'azurite-queue', 'azurite-table'];

rmSync(target, { recursive: true, force: true });
mkdirSync(target);
const { metafile } = await build({
  stdin: {
    contents: ['blob', 'queue']
      .map((service) => `exports.${service} = () => require('azurite/dist/src/${service}/main.js');`)
      .join('\n'),
    resolveDir: source,
  },
  absWorkingDir: source,
  outfile: join(target, 'services.cjs'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // One of the database drivers that the user installs, for AZURITE_DB.
  external: ['pg-hstore'],
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
});
for (const name of readdirSync(source)) {
  if (name.endsWith('.mjs') && name !== 'build.mjs') cpSync(join(source, name), join(target, name));
}
cpSync(join(source, 'README.md'), join(target, 'README.md'));
cpSync(join(repository, 'LICENSE'), join(target, 'LICENSE'));
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
writeFileSync(join(target, 'THIRD-PARTY-NOTICES'), notices());

/** Returns the manifest of the package. Its version is that of Tabularium, the only package that it depends on. */
function manifest() {
  const own = readJson(join(source, 'package.json'));
  const { name, version, repository: address, publishConfig } = readJson(join(repository, 'package.json'));
  return {
    name: own.name,
    version,
    description: own.description,
    keywords: ['azure', 'azure-storage', 'azurite', 'emulator', 'testing'],
    license: own.license,
    ...(address && { repository: address }),
    type: own.type,
    engines: own.engines,
    bin: Object.fromEntries(programs.map((program) => [program, `${program}.mjs`])),
    publishConfig,
    dependencies: { [name]: version },
  };
}

/** Returns the license of each package in the bundle, and Azurite's own notices. */
function notices() {
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license, author } = readJson(join(source, folder, 'package.json'));
    const texts = readdirSync(join(source, folder)).filter((file) => /^(?:licen[cs]e|notice)(?:[-.]|$)/i.test(file));
    const own = texts.map((file) => readFileSync(join(source, folder, file), 'utf8').trim());
    const shown = own.length > 0 ? own : [`Copyright ${author?.name ?? author ?? `the authors of ${name}`}`];
    return [`${name} ${version} (${license?.type ?? license})`, ...shown].join('\n\n');
  });
  return `services.cjs contains code of these packages.\n\n${parts.join('\n\n----\n\n')}\n`;
}

/** @param {string} path */
function readJson(path) {
  if (!existsSync(path)) throw new Error(`${path} does not exist. Run npm ci in ${source} first.`);
  return JSON.parse(readFileSync(path, 'utf8'));
}
