import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { supportedNode } from '../../src/node-version.js';
import { cleanEnvironment, runProgram, serverFile } from '../support/programs/run-program.js';

const sentence = 'Tabularium needs Node.js 20.19, 22.12 or newer; this is Node.js 18.20.8.\n';

/** Runs Node.js as if it were version 18: with its version, and without a function that is newer. */
function runOnOldNode(...words: readonly string[]) {
  const versions = '{ value: { ...process.versions, node: "18.20.8" } }';
  const old = `Object.defineProperty(process, "versions", ${versions}); delete process.getBuiltinModule;`;
  return runProgram([process.execPath, '--import', `data:text/javascript,${encodeURIComponent(old)}`, ...words], {
    environment: cleanEnvironment(),
  }).ended;
}

it.each([['start'], ['doctor'], ['--version']])(
  'The program says in one sentence that Node.js is too old for %s',
  async (word) => {
    expect(await runOnOldNode(serverFile, word)).toMatchObject({ code: 2, output: '', errors: sentence });
  },
);

it('The supported versions are those for which npm installs the package', () => {
  const { engines } = JSON.parse(readFileSync(join(serverFile, '../../package.json'), 'utf8'));
  expect(supportedNode).toBe(`Node.js ${engines.node.match(/\d+\.\d+/g).join(', ')} or newer`);
});

it.each(['index.js', 'vitest.js'])(
  '%s can be imported, and starting a server says that Node.js is too old',
  async (file) => {
    const url = pathToFileURL(join(serverFile, '..', file));
    const script = `import(${JSON.stringify(url)}).then((all) => (all.startTabularium ?? all.globalSetup)())`;
    expect(await runOnOldNode('--eval', `${script}.catch((error) => console.log(error.message))`)).toMatchObject({
      output: sentence,
      errors: '',
    });
  },
);

it.each([
  [
    'main.js',
    ['src/commands/early-signals.ts', 'src/commands/keep-tick-shape.ts', 'src/main.ts', 'src/node-version.ts'],
  ],
  ['index.js', ['src/index.ts', 'src/library/start-tabularium.ts', 'src/node-version.ts']],
])('%s loads nothing that an old Node.js cannot read before it knows the version', (file, modules) => {
  const { outputs } = JSON.parse(readFileSync(join(serverFile, '../../build/bundle.json'), 'utf8')) as {
    readonly outputs: Readonly<
      Record<string, { readonly inputs: object; readonly imports: readonly { path: string; kind: string }[] }>
    >;
  };
  const files = new Set([`dist/${file}`]);
  for (const path of files)
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') files.add(next);
  expect([...files].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {})).sort()).toEqual(modules);
});
