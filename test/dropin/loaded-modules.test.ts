import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachInFolder } from '../support/child-server.js';
import { cleanEnvironment, runProgram, serverFile } from '../support/run-program.js';

let folder = '';
eachInFolder((made) => {
  folder = made;
});

/** Starts a server, ends it, and returns the addresses of all files that it has loaded. */
async function filesLoadedWith(...place: readonly string[]): Promise<readonly string[]> {
  const coverage = join(folder, 'coverage');
  const words = [process.execPath, serverFile, '--silent', '--tablePort', '0', ...place];
  const program = runProgram(words, { environment: cleanEnvironment({ NODE_V8_COVERAGE: coverage }) });
  await program.until(/\n/);
  program.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 0 });
  const reports = await Promise.all((await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')));
  return reports.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url));
}

it('A server with a folder loads nothing of PostgreSQL', async () => {
  const loaded = await filesLoadedWith('--location', join(folder, 'data'));
  expect(loaded.some((url) => url.includes('/store/level/'))).toBe(true);
  expect(loaded.filter((url) => /\/store\/postgres\/|\/node_modules\/pg/.test(url))).toEqual([]);
});

it('A server loads no compilers of schemas, because no route has a schema', async () => {
  const loaded = await filesLoadedWith('--inMemoryPersistence');
  expect(loaded.some((url) => url.includes('/node_modules/fastify/'))).toBe(true);
  expect(
    loaded.filter((url) => /\/node_modules\/(?:ajv|@fastify\/(?:ajv|fast-json-stringify)-compiler)\//.test(url)),
  ).toEqual([]);
});

it('A server loads nothing of OpenTelemetry unless a variable names a collector', async () => {
  const loaded = await filesLoadedWith('--inMemoryPersistence');
  expect(loaded.filter((url) => /\/traces\/|opentelemetry/.test(url))).toEqual([]);
});

it('A server loads nothing of identities without the option', async () => {
  const loaded = await filesLoadedWith('--inMemoryPersistence', '--https');
  expect(loaded.some((url) => url.includes('/auth/authenticate.js'))).toBe(true);
  expect(loaded.filter((url) => /\/dist\/identity\/|\/control\/identity\.js|\/node_modules\/jose\//.test(url))).toEqual(
    [],
  );
});
