import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/commands/program.js';
import { commandVerbs } from '../../../src/commands/verbs/find-verb.js';
import { createVerbCommand } from '../../../src/commands/verbs/verb-command.js';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { notesOf, type Schema } from '../../../src/schema.js';
import { settingNames } from '../../../src/settings/settings.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { runLine } from '../../support/programs/run-line.js';
import { fillServer, stateOf } from '../../support/servers/server-state.js';

/** Words that a command takes, by their names in its help. */
const samples: Readonly<Partial<Record<string, string>>> = {
  ...{ id: 'undo-1', from: 'base', to: 'devstoreaccount1', filter: 'A eq 1', 'request-id': 'x', path: 'data.ndjson' },
};

/** A way to call a command: its name and verb, and the words after them. */
interface Call {
  readonly command: Command;
  readonly names: readonly string[];
  readonly words: readonly string[];
  readonly isRepeated: boolean;
}

/** Returns how to call a command. The server itself takes no words. */
function callOf(command: Command): Call {
  const words = command.registeredArguments.map((argument) => samples[argument.name()] ?? argument.name());
  const isRepeated = command.registeredArguments.at(-1)?.variadic === true;
  return { command, names: [command.name()], words, isRepeated };
}

/** The commands; `exec` passes all words on to another program. */
const { commands } = createProgram('tabularium', {}, () => {});
const calls = [
  ...commands.filter((command) => command.name() !== 'exec').map(callOf),
  ...commandVerbs.map((verb): Call => {
    const schemas = (verb.words ?? []).map((word) => verb.takes[word] as Schema);
    const words = schemas.map((schema) => notesOf(schema).example ?? notesOf(schema).value ?? 'x');
    return {
      command: createVerbCommand(verb),
      names: verb.name.split(' '),
      words: verb.uploads ? [...words, 'data.ndjson'] : words,
      // A file to write may have any name.
      isRepeated: verb.sends === 'file' || verb.uploads === true || schemas.some((schema) => notesOf(schema).joins),
    };
  }),
];

/** Options that may be blank: keys. Those of a server have their own checks. */
const spared: readonly string[] = [...settingNames, 'config', 'partition'];

/** Returns the bad inputs of a call, each as a whole command line. */
function badLines({ command, names, words, isRepeated }: Call): readonly (readonly string[])[] {
  const blanks = ['', '  '];
  // A query may have no filter.
  const isBlankAllowed = names[0] === 'explain';
  const inPlace = isBlankAllowed
    ? []
    : words.flatMap((_, at) => blanks.map((blank) => [...names, ...words.with(at, blank)]));
  const valued = command.options.filter(
    (option) => option.required && !spared.includes(option.attributeName()) && option.hidden === false,
  );
  return [
    ...inPlace,
    ...(isRepeated ? [] : [[...names, ...words, 'surplus']]),
    [...names, ...words, '--unknown'],
    ...valued.flatMap(({ long }) => blanks.map((blank) => [...names, ...words, `${long}`, blank])),
  ];
}

describe('A command with bad input', () => {
  let server: Tabularium;
  let folder: string;
  let before: object;
  beforeAll(async () => {
    folder = await makeFolder();
    writeFileSync(join(folder, 'data.ndjson'), '{"$table":"Orders"}\n');
    server = await startTabularium();
    await fillServer(server);
    before = await stateOf(server);
  });
  afterAll(() => server.close());

  const runHere = async (line: readonly string[]) => {
    const words = line.map((word) => (word === 'data.ndjson' ? join(folder, word) : word));
    const { code, out, errors } = await runLine(words, { TABULARIUM_URL: server.url, TABULARIUM_LOCATION: folder });
    return { code, text: out + errors };
  };

  it.each(calls.flatMap(badLines).map((line) => [line.map((word) => JSON.stringify(word)).join(' '), line] as const))(
    'fails and changes nothing: %s',
    async (_title, line) => {
      const { code, text } = await runHere(line);
      expect({ code, text }).toMatchObject({ code: 2 });
      // A message of one line, with a hint on a second one.
      expect(text.trim().split('\n')).toSatisfy(({ length }: readonly string[]) => length >= 1 && length <= 2);
      expect(text).not.toMatch(/\n\s+at |undefined|TypeError/);
      expect(await stateOf(server)).toEqual(before);
    },
  );
});
