import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { runProgram, serverFile } from '../support/programs/run-program.js';

const asModule = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

it('The global setup loads nothing of Vitest, whose version 3 can be imported only by tests', async () => {
  const hooks = `export function resolve(name, context, next) {
    if (/^vitest(?:\\/|$)/.test(name)) throw new Error('Vitest failed to access its internal state.');
    return next(name, context);
  }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(asModule(hooks))});`;
  const setup = pathToFileURL(join(serverFile, '../vitest.js'));
  const script = `
    import setup from ${JSON.stringify(setup)};
    const teardown = await setup({ provide: (name) => console.log(name) });
    await teardown();`;
  const words = ['--import', asModule(register), '--input-type=module', '--eval', script];
  expect(await runProgram([process.execPath, ...words]).ended).toMatchObject({ code: 0, output: 'tabularium\n' });
});
