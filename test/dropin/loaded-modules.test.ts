import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eachInFolder } from '../support/programs/child-server.js';
import { cleanEnvironment, runProgram, serverFile } from '../support/programs/run-program.js';

let folder = '';
eachInFolder((made) => {
  folder = made;
});

/** The report of the build: which modules each file of dist contains. */
interface Bundle {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

/** Runs the command, ends a server once it listens, and returns the paths of all modules whose code was loaded. */
async function modulesLoadedBy(...words: readonly string[]): Promise<readonly string[]> {
  const coverage = join(folder, 'coverage');
  const environment = cleanEnvironment({ NODE_V8_COVERAGE: coverage });
  const program = runProgram([process.execPath, serverFile, ...words], { environment });
  await program.until(/\n/);
  if (program.output().includes('listening')) program.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 0 });
  const reports = await Promise.all((await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')));
  const files = reports
    .flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url))
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url));
  const { outputs } = JSON.parse(await readFile(new URL('../../build/bundle.json', import.meta.url), 'utf8')) as Bundle;
  return files.flatMap((file) => Object.keys(outputs[`dist/${basename(file)}`]?.inputs ?? { [file]: {} }));
}

function modulesLoadedWith(...place: readonly string[]): Promise<readonly string[]> {
  return modulesLoadedBy('--silent', '--tablePort', '0', ...place);
}

it('A server with a folder loads nothing of PostgreSQL', async () => {
  const loaded = await modulesLoadedWith('--location', join(folder, 'data'));
  expect(loaded).toContain('src/store/level/open-folder.ts');
  expect(loaded.filter((path) => /\/store\/postgres\/|node_modules\/pg/.test(path))).toEqual([]);
});

it('A server loads no files of packages but the addon of LevelDB and what finds it', async () => {
  const loaded = await modulesLoadedWith('--location', join(folder, 'data'));
  const packages = loaded.filter((path) => path.startsWith('/') && path.includes('/node_modules/'));
  expect(packages.map((path) => path.replace(/^.*\/node_modules\//, '')).sort()).toEqual([
    'classic-level/binding.js',
    'node-gyp-build/node-gyp-build.js',
  ]);
});

it('A server loads no compilers of schemas, because no route has a schema', async () => {
  const loaded = await modulesLoadedWith('--inMemoryPersistence');
  expect(loaded).toContain('node_modules/fastify/fastify.js');
  expect(loaded.filter((path) => /\/ajv\/|\/fast-json-stringify\/index/.test(path))).toEqual([]);
});

it('A server loads nothing of OpenTelemetry unless a variable names a collector', async () => {
  const loaded = await modulesLoadedWith('--inMemoryPersistence');
  expect(loaded.filter((path) => /\/traces\/|opentelemetry/.test(path))).toEqual([]);
});

it('A server loads nothing of identities without the option', async () => {
  const loaded = await modulesLoadedWith('--inMemoryPersistence', '--https');
  expect(loaded).toContain('src/auth/authenticate.ts');
  expect(
    loaded.filter((path) => /src\/identity\/|\/control\/rows\/identity\.ts|node_modules\/jose\//.test(path)),
  ).toEqual([]);
});

it('A command that signs a URL loads no server', async () => {
  const loaded = await modulesLoadedBy('sas', '--expiry', '2030-01-01T00:00:00Z');
  expect(loaded).toContain('src/commands/sas/sas.ts');
  expect(
    loaded.filter((path) => /src\/(?:server|store\/open-store)\.ts|node_modules\/(?:fastify|pino)\//.test(path)),
  ).toEqual([]);
});
