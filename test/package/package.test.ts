import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InstalledPackage, installPackage, ownProgram } from '../support/programs/installed-package.js';

/** A second Node.js program, so that the package is tested on it and on the Node.js that runs the tests. */
const node24 = process.env['TABULARIUM_NODE24'];

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage('consumer', 'example-vitest');
});
afterAll(() => installed?.dispose());

describe('The packed package', () => {
  it('contains the programs and the public types, and nothing else', () => {
    const paths = installed.packed.files.map(({ path }) => path);
    const known =
      /^(?:package\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/THIRD-PARTY-NOTICES|dist\/[\w-]+\.js(?:\.map)?|dist\/vitest\/marks\.js|dist\/explorer\/(?:[\w-]+\.(?:js|css|html)\.(?:br|gz)|manifest\.json|THIRD-PARTY-NOTICES)|dist\/(?:index|vitest|vitest\/(?:marks|branch-per-test|test-name)|library\/[\w-]+|log\/logger|insight\/(?:explained-request|coach\/finding|rules\/rules?|journal\/changes\/written-change|journal\/log-entry|queries\/query-classes|why\/filter\/explained-filter)|clock\/test-clock|faults\/contract|client\/calls|protocol\/(?:error-codes|explanation)|transfer\/contract)\.d\.ts)$/;
    expect(paths.filter((path) => !known.test(path))).toEqual([]);
    for (const entry of ['dist/main.js', 'dist/index.js', 'dist/index.d.ts', 'dist/vitest.js', 'dist/vitest.d.ts']) {
      expect(paths).toContain(entry);
    }
  });

  it('contains the page for browsers', () => {
    const paths = installed.packed.files.map(({ path }) => path);
    expect(
      paths.filter((path) => /^dist\/explorer\/(?:index\.html|main-\w+\.js|page-\w+\.css)\.br$/.test(path)),
    ).toHaveLength(3);
  });

  it('has the license of every package whose code it contains', async () => {
    const { inputs } = JSON.parse(readFileSync('build/bundle.json', 'utf8')) as { inputs: object };
    const packages = Object.keys(inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect(packages).toContain('fastify');
    const notices = readFileSync('dist/THIRD-PARTY-NOTICES', 'utf8');
    expect(packages.filter((name) => !notices.includes(`\n${name} `))).toEqual([]);
    for (const [, terms] of notices.matchAll(/^\S+ \d\S* \(([^()]+)\)$/gm)) {
      expect(terms).toMatch(/^(?:MIT|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|BlueOak-1\.0\.0)$/);
    }
  });

  it('names the files and lines of the source in errors, if Node.js reads source maps', async () => {
    const broken =
      "import('tabularium').then(({ startTabularium }) => startTabularium({ port: 'x' })).catch((e) => console.log(e.stack))";
    const trace = await installed.run(process.execPath, '--enable-source-maps', '--eval', broken);
    expect(trace).toMatch(/src\/library\/read-options\.ts:\d+/);
  });

  it('is small', () => {
    expect(installed.packed.size).toBeLessThan(1700 * 1024);
    expect(installed.packed.unpackedSize).toBeLessThan(6000 * 1024);
  });
});

const runtimes = [
  { name: 'the Node.js of the tests', node: process.execPath },
  { name: 'the Node.js of TABULARIUM_NODE24', node: node24 },
];

describe.each(runtimes)('The package installed in an empty folder, on $name,', ({ node = '' }) => {
  const title = node === '' ? ' (skipped: TABULARIUM_NODE24 is not set)' : '';

  it.skipIf(node === '')(`serves the SDK from memory and from disk${title}`, async () => {
    const data = join(installed.folder, `data-${Buffer.from(node).toString('hex').slice(-8)}`);
    const seen = { heavy: ['pear', 'plum'], before: ['Fruit'], after: [] };
    expect(JSON.parse(await installed.run(node, 'sample.mjs', data))).toEqual({ memory: seen, disk: seen });
  });

  it.skipIf(node === '')(`has a command${title}`, async () => {
    const program = join('node_modules', '.bin', 'tabularium');
    expect(await installed.run(node, program, 'connection-string')).toContain('AccountName=devstoreaccount1;');
  });
});

describe('A project that depends on the package', () => {
  it('runs its Vitest tests against its own server', async () => {
    const report = await installed.run(process.execPath, ownProgram('vitest'), 'run', '--reporter=json');
    expect(JSON.parse(report)).toMatchObject({ success: true, numTotalTests: 8, numPassedTests: 8 });
  });

  it.each(['nodenext', 'bundler'])(
    'compiles in strict mode with %s resolution, including the types of libraries',
    async (resolution) => {
      const compilerOptions = {
        ...{ target: 'es2023', types: ['node'], strict: true, exactOptionalPropertyTypes: true, noEmit: true },
        ...(resolution === 'bundler' ? { module: 'esnext', moduleResolution: 'bundler' } : { module: 'nodenext' }),
        skipLibCheck: false,
      };
      await writeFile(join(installed.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      expect(await installed.run(process.execPath, ownProgram('tsc'), '-p', '.')).toBe('');
    },
  );
});
