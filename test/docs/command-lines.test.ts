import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandLine, ownProgram } from '../../src/command-line.js';
import { createProgram } from '../../src/commands/program.js';
import { explorerFiles, sourceFiles } from '../support/docs/source-tree.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The documents and samples of the project. */
const texts = ['.', 'docs', 'docs/protocol', 'examples', 'docker']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:md|ya?ml|mjs|js|py|go|json)$|file$/.test(entry.name))
      .map((entry) => join(folder, entry.name)),
  )
  .filter((path) => !path.endsWith('package-lock.json'));

/** The names of all commands. */
const commands = createProgram('tabularium', {}, () => {})
  .commands.map((command) => command.name())
  .join('|');

/** Returns a source without its comments. */
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?<=^|\s)\/\/.*$/gm, '');

describe('A command line of this program', () => {
  it('is that of a clone', () => {
    expect(ownProgram).toBe('node dist/main.js');
    expect(commandLine('undo undo-1', 'http://127.0.0.1:1')).toBe(
      'node dist/main.js undo undo-1 --url http://127.0.0.1:1',
    );
  });

  it('is not of a package that is not published', () => {
    const lines = texts.flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .filter((line) => /\b(?:npx|npm exec|pnpm dlx|yarn dlx|bunx)\s(?:-\S+\s)*(?:--\s)?tabularium\b/.test(line))
        .map((line) => `${path}: ${line}`),
    );
    expect(lines).toEqual([expect.stringMatching(/^README\.md: .* is not published yet\. Publishing will bring `npx/)]);
  });

  it('is written with commandLine in the code of the server and the page', () => {
    const form = new RegExp(`\\b(?:npx|tabularium(?: (?:${commands})\\b))|dist/main\\.js`);
    const written = [...sourceFiles, ...explorerFiles].filter(
      ({ path, text }) => path !== 'command-line.ts' && form.test(code(text)),
    );
    expect(written.map(({ path }) => path)).toEqual([]);
  });
});
