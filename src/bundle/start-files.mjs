// Decides which modules share a file of the bundle, so that a process reads few files when it starts.
//
// esbuild puts modules into one file if the same entry points load them, and every `import()` makes an entry point. Left alone,
// it spreads the modules that a server starts with over 130 files.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The modules that each kind of process starts with. They stand for everything that they import statically. */
const starts = {
  program: ['src/commands/program.ts'],
  server: ['src/commands/start/start.ts', 'src/store/level/open-in-memory.ts', 'src/store/level/open-folder.ts'],
  /** Commands that ask a server. */
  asking: [
    'src/commands/sas/sas.ts',
    'src/commands/verbs/find-verb.ts',
    'src/commands/verbs/run-verb.ts',
    'src/commands/verbs/run-import.ts',
    'src/commands/coach/run-coach.ts',
    'src/commands/coach/write-report.ts',
    'src/insight/coach/report/coach-report.ts',
    'src/transfer/files/import-files.ts',
    'src/transfer/files/write-aside.ts',
  ],
  /** Commands that open a store without a server. */
  opening: ['src/commands/doctor/examine.ts', 'src/store/postgres/schema/examine-database.ts'],
};

/**
 * The shared files, by the kinds of processes that load them. A module belongs to the first file whose kinds all start with it,
 * so a process loads little that it does not need.
 *
 * @type {readonly (readonly (keyof typeof starts)[])[]}
 */
const sharedFiles = [['program', 'server'], ['program'], ['server', 'asking'], ['server', 'opening'], ['server']];

/** The program, which handles signals before it loads shared files. */
const main = 'src/main.ts';

/**
 * Returns a plugin that keeps the modules of each shared file together: an entry point that loads one of them loads them all.
 *
 * @param {import('esbuild').BuildOptions} options the build that gets the plugin
 * @returns {Promise<import('esbuild').Plugin>}
 */
export async function startFiles(options) {
  const { metafile } = await build({ ...options, write: false, metafile: true });
  const root = options.absWorkingDir ?? '';
  const members = membersOf(metafile);
  const neededBy = new Map([...neededFiles(metafile, members)].map(([entry, files]) => [join(root, entry), files]));
  return {
    name: 'start-files',
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const imports = neededBy.get(path)?.map((file) => `import 'start-file:${file}';`);
        return imports && { contents: `${readFileSync(path, 'utf8')}\n${imports.join('')}`, loader: 'ts' };
      });
      onResolve({ filter: /^start-file:/ }, ({ path }) => ({
        path: path.slice('start-file:'.length),
        namespace: 'start-file',
      }));
      onLoad({ filter: /.*/, namespace: 'start-file' }, ({ path }) => ({
        contents: [...(members[Number(path)] ?? [])].map((member) => `import './${member}';`).join('\n'),
        resolveDir: root,
      }));
    },
  };
}

/** Returns the modules of each shared file. @param {import('esbuild').Metafile} metafile */
function membersOf(metafile) {
  const missing = Object.values(starts)
    .flat()
    .filter((path) => !metafile.inputs[path]);
  if (missing.length > 0) throw new Error(`These modules are not in the bundle: ${missing.join(', ')}`);
  const early = importedBy(metafile, [main]);
  const startsWith = Object.fromEntries(
    Object.entries(starts).map(([kind, from]) => [kind, importedBy(metafile, from)]),
  );
  const members = sharedFiles.map(() => new Set());
  for (const path of Object.keys(metafile.inputs)) {
    const file = sharedFiles.findIndex((kinds) => kinds.every((kind) => startsWith[kind]?.has(path)));
    // A path with a colon belongs to a plugin.
    if (!early.has(path) && !path.includes(':')) members[file]?.add(path);
  }
  return members;
}

/**
 * Returns the entry points that need shared files, each with the numbers of its files.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {readonly Set<string>[]} members
 */
function neededFiles(metafile, members) {
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  return entries.map((entry) => {
    const loaded = new Set();
    const files = new Set();
    /** @param {readonly string[]} paths */
    const load = (paths) => {
      for (const path of importedBy(metafile, paths)) loaded.add(path);
      const file = members.findIndex(
        (paths, number) => !files.has(number) && [...paths].some((one) => loaded.has(one)),
      );
      if (file < 0) return;
      files.add(file);
      // Its modules may import others of another shared file.
      load([...(members[file] ?? [])]);
    };
    load([entry]);
    return /** @type {const} */ ([entry, [...files]]);
  });
}

/** Returns these modules and everything that they import statically. @param {import('esbuild').Metafile} metafile */
function importedBy({ inputs }, paths) {
  const found = new Set();
  const pending = [...paths];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (found.has(path) || !inputs[path]) continue;
    found.add(path);
    for (const one of inputs[path].imports) if (one.kind !== 'dynamic-import' && !one.external) pending.push(one.path);
  }
  return found;
}
