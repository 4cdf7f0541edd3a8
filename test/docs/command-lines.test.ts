import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandLine, ownProgram } from '../../src/command-line.js';
import { createProgram } from '../../src/commands/program.js';
import { commandVerbs, findVerb, nounOf } from '../../src/commands/verbs/find-verb.js';
import { parseVerb } from '../../src/commands/verbs/verb-command.js';
import { methodOf } from '../../src/verbs/verb-row.js';
import { shellWords } from '../support/docs/shell-words.js';
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

/** The first words of all command lines. */
const commands = [
  ...createProgram('tabularium', {}, () => {}).commands.map((command) => command.name()),
  ...commandVerbs.flatMap((verb) => [nounOf(verb), methodOf(verb)[0]]),
].join('|');

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

describe('A command line in the documents', () => {
  // What a release has brought may have another name since.
  const lines = texts
    .filter((path) => path !== 'CHANGELOG.md')
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const pieces = path.endsWith('.md')
        ? [...text.matchAll(/```[\s\S]*?```|`[^`\n]+`/g)].map(([code]) => code)
        : [text];
      return pieces.flatMap((piece) =>
        [...piece.matchAll(/(?<=^`?|&& |docker exec \w+ |\$\()tabularium(?= |`|$)[^`\n]*/gm)].map(([line]) => [
          path,
          line,
        ]),
      );
    });

  it('is found in them', () => {
    expect(lines.length).toBeGreaterThan(100);
  });

  it.each(lines)('in %s is one that the program takes: %s', (_path, line) => {
    expect(faultOf(shellWords(line).slice(1))).toBeUndefined();
  });
});

/** Returns why the program would reject words; undefined if it takes them, or would if nothing were left out at their end. */
function faultOf(words: readonly string[]): string | undefined {
  try {
    const found = findVerb(words);
    if (found) parseVerb(found.verb, found.rest);
    else {
      const program = createProgram('tabularium', {}, () => {});
      const command = program.commands.find((one) => one.name() === words[0]);
      const { operands, unknown } = (command ?? program).parseOptions(command ? words.slice(1) : [...words]);
      const stray = command || operands[0] === 'help' ? [] : operands.slice(0, 1);
      if (unknown.length + stray.length > 0) return `Unknown: ${[...unknown, ...stray].join(' ')}`;
    }
  } catch (error) {
    const { message } = error as Error;
    if (!/is missing|needs a value|needs a verb|argument missing/.test(message)) return message;
  }
  return undefined;
}
