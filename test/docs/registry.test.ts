import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceFolder } from '../support/docs/source-tree.js';

/** Returns `src/verbs/registry.ts`: every verb that a file of the folder declares. */
function writeRegistry(): string {
  const folder = join(sourceFolder, 'verbs');
  const declared = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^\w+\/[\w-]+\.ts$/.test(path))
    .sort()
    .flatMap((path) => {
      const [, name] =
        /^export const (\w+) = \w+\(\{\n {2}name: /m.exec(readFileSync(join(folder, path), 'utf8')) ?? [];
      return name === undefined ? [] : [{ name, path: path.replace('.ts', '.js') }];
    });
  return [
    ...declared.map(({ name, path }) => `import { ${name} } from './${path}';`),
    "import type { AnyVerb } from './verb.js';",
    '',
    '/** All verbs. `npm run write -- reference` writes this list from the files of the folder. */',
    'export const allVerbs: readonly AnyVerb[] = [',
    ...declared.map(({ name }) => `  ${name},`),
    '];',
    '',
  ].join('\n');
}

// `npm run write -- reference` writes the file again.
it('The registry lists every verb that a file declares', async () => {
  await expect(writeRegistry()).toMatchFileSnapshot('../../src/verbs/registry.ts');
});
