import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFolder } from '../support/programs/make-folder.js';
import { cleanEnvironment, runProgram, serverFile } from '../support/programs/run-program.js';

/** The files that a server on disk and one in memory load. */
let onDisk: readonly string[] = [];
let inMemory: readonly string[] = [];

let folder = '';

beforeAll(async () => {
  folder = await makeFolder();
  const served = ['--silent', '--tablePort', '0'];
  onDisk = await filesLoadedBy([...served, '--location', join(folder, 'data')]);
  inMemory = await filesLoadedBy([...served, '--inMemoryPersistence', '--https']);
});
afterAll(() => rm(folder, { recursive: true }));

/** The report of the build: which modules each file of dist contains. */
interface Bundle {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

/** Runs the command, ends a server once it listens, and returns the paths of all files whose code was loaded. */
async function filesLoadedBy(words: readonly string[], code = 0): Promise<readonly string[]> {
  const coverage = await mkdtemp(join(folder, 'coverage-'));
  const environment = cleanEnvironment({ NODE_V8_COVERAGE: coverage });
  const program = runProgram([process.execPath, serverFile, ...words], { environment });
  if (code === 0) await program.until(/\n/);
  if (program.output().includes('listening')) program.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code });
  const reports = await Promise.all((await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')));
  return reports
    .flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url))
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url));
}

/** Returns the modules that the files of the bundle contain, and all other files as they are. */
async function modulesOf(files: readonly string[]): Promise<readonly string[]> {
  const { outputs } = JSON.parse(await readFile(new URL('../../build/bundle.json', import.meta.url), 'utf8')) as Bundle;
  return files.flatMap((file) =>
    isBundled(file) ? Object.keys(outputs[`dist/${basename(file)}`]?.inputs ?? {}) : [file],
  );
}

function isBundled(file: string): boolean {
  return dirname(file) === dirname(serverFile);
}

it('A server starts from few files', () => {
  // A process that loads many files at once also has them open at once.
  expect(onDisk.filter(isBundled).length).toBeLessThan(20);
  expect(inMemory.filter(isBundled).length).toBeLessThan(20);
});

it('A server with a folder loads nothing of PostgreSQL', async () => {
  const loaded = await modulesOf(onDisk);
  expect(loaded).toContain('src/store/level/open-folder.ts');
  expect(loaded.filter((path) => /\/store\/postgres\/|node_modules\/pg/.test(path))).toEqual([]);
});

it('A server loads no files of packages but the addon of LevelDB and what finds it', () => {
  const packages = onDisk.filter((path) => path.includes('/node_modules/'));
  expect(packages.map((path) => path.replace(/^.*\/node_modules\//, '')).sort()).toEqual([
    'classic-level/binding.js',
    'node-gyp-build/index.js',
    'node-gyp-build/node-gyp-build.js',
  ]);
});

it('A server loads no compilers of schemas, because no route has a schema', async () => {
  const loaded = await modulesOf(inMemory);
  expect(loaded).toContain('node_modules/fastify/fastify.js');
  expect(loaded.filter((path) => /\/ajv\/|\/fast-json-stringify\/index/.test(path))).toEqual([]);
});

it('A server loads nothing of OpenTelemetry unless a variable names a collector', async () => {
  const loaded = await modulesOf(inMemory);
  expect(loaded.filter((path) => /\/traces\/|opentelemetry/.test(path))).toEqual([]);
});

it('A server loads nothing of identities without the option', async () => {
  const loaded = await modulesOf(inMemory);
  expect(loaded).toContain('src/auth/authenticate.ts');
  expect(
    loaded.filter((path) => /src\/identity\/|\/control\/rows\/identity\.ts|node_modules\/jose\//.test(path)),
  ).toEqual([]);
});

it('A server and its other commands load nothing of the tools for coding agents before one asks', async () => {
  const others = await filesLoadedBy(['reset', '--url', '127.0.0.1:9'], 2);
  const loaded = [...(await modulesOf(inMemory)), ...(await modulesOf(others))];
  expect(loaded).toContain('src/verbs/registry.ts');
  expect(loaded.filter((path) => /src\/mcp\/|modelcontextprotocol|node_modules\/zod\//.test(path))).toEqual([]);
});

it.each([
  ['sas --expiry 2030-01-01T00:00:00Z', 'sas/sas', 0],
  ['help', 'help', 0],
  ['reset --url 127.0.0.1:9', 'verbs/run-verb', 2],
  ['coach --url 127.0.0.1:9', 'coach/run-coach', 2],
  ['import package.json --url 127.0.0.1:9', 'verbs/run-import', 2],
  ['export --url 127.0.0.1:9', 'verbs/run-file', 2],
])('The command %s loads no server and no store', async (words, module, code) => {
  const loaded = await modulesOf(await filesLoadedBy(words.split(' '), code));
  expect(loaded).toContain(`src/commands/${module}.ts`);
  expect(
    loaded.filter((path) => /src\/(?:server|service\/serve|store\/open-store)\.ts|\/(?:fastify|pino)\//.test(path)),
  ).toEqual([]);
});
