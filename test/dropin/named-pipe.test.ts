import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagsOf } from '../../src/commands/options/server-options.js';
import { createProgram } from '../../src/commands/program.js';
import { commandVerbs } from '../../src/commands/verbs/find-verb.js';
import { createVerbCommand } from '../../src/commands/verbs/verb-command.js';
import { settingNames } from '../../src/settings/settings.js';
import { makePlace, type Place } from '../support/programs/place.js';

/** A command line that reads the file of an option, and maybe others. */
const lines: Readonly<Partial<Record<string, readonly string[]>>> = {
  '--config': [],
  '--accountsFile': [],
  '--cert': ['--key', 'text'],
  '--key': ['--cert', 'text'],
  '--identity': ['--https'],
  '--identityKey': ['--https', '--identity', 'identities.json'],
  '--accept': ['coach'],
  '--map': ['import', 'people.csv'],
  '--state': ['copy', 'people.csv', 'copied.ndjson'],
};

/** Options whose file is written. A pipe with a reader is as good. */
const written = ['--debug', '--report'];

const { commands } = createProgram('tabularium', {}, () => {});
const flags = [
  ...['--config <file>', ...settingNames.map((name) => flagsOf(name) ?? '')],
  ...[...commands, ...commandVerbs.map((verb) => createVerbCommand(verb))].flatMap(({ options }) =>
    options.map((option) => option.flags),
  ),
];
const names = new Set(flags.flatMap((one) => /(--\w+) <file>/.exec(one)?.[1] ?? []));
const read = [...names].filter((name) => !written.includes(name));

let place: Place;
beforeAll(async () => {
  place = await makePlace('tabularium');
  const contents = { text: 'text', 'people.csv': 'Id\n1\n', 'identities.json': '{"identities":{"app":{}}}' };
  for (const [name, content] of Object.entries(contents)) await writeFile(join(place.folder, name), content);
});
afterAll(() => place.clear());

describe.skipIf(process.platform === 'win32')('A named pipe that nobody writes', () => {
  beforeAll(() => void execFileSync('mkfifo', [join(place.folder, 'pipe')]));

  it.each(read)('is rejected as the file of %s', async (name) => {
    const others = lines[name];
    if (!others) throw new Error(`Write a command line that reads the file of ${name}.`);
    const server = /^[a-z]/.test(others[0] ?? '') ? [] : ['--inMemoryPersistence', '--tablePort', '0'];

    const { code, errors } = await place.start('tabularium', [...server, ...others, name, 'pipe']).ended;

    expect({ code, errors }).toEqual({
      code: 2,
      errors: expect.stringMatching(/\bpipe cannot be read: it is not a file, but a pipe or a device\..*\n$/),
    });
  });

  it('does not keep the server from ending once it is in place of a file that is followed', async () => {
    await writeFile(join(place.folder, 'accounts'), 'first:a2V5MQ==\n');
    const server = place.start('tabularium', [
      '--inMemoryPersistence',
      '--tablePort',
      '0',
      '--accountsFile',
      'accounts',
    ]);
    await server.until(/listening|http:\/\//i);
    execFileSync('mv', [join(place.folder, 'pipe'), join(place.folder, 'accounts')]);
    await server.until(/accounts cannot be read: it is not a file/);

    server.kill('SIGTERM');

    expect(await server.ended).toMatchObject({ code: 0 });
  });
});
