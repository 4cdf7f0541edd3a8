import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { flagsOf as optionFlags } from '../../src/commands/options/server-options.js';
import { settingNames } from '../../src/settings/settings.js';
import { type DropIn, linesOf, makeDropIn, standInFor, tableProgram, untilLine } from '../support/programs/drop-in.js';

/** The Azurite version of these flags: the newest at the time of writing, and the one in the dropIn. */
const version = '3.37.0';

/** Each flag of `azurite` with a value, and the single-service programs that accept it. */
const azuriteFlags: readonly (readonly [words: readonly string[], programs: readonly string[]])[] = [
  [['--blobHost', '127.0.0.1'], ['blob']],
  [['--blobPort', '0'], ['blob']],
  [['--blobKeepAliveTimeout', '30'], ['blob']],
  [['--queueHost', '127.0.0.1'], ['queue']],
  [['--queuePort', '0'], ['queue']],
  [['--queueKeepAliveTimeout', '30'], []],
  [['--tableHost', '127.0.0.1'], ['table']],
  [['--tablePort', '0'], ['table']],
  [['--tableKeepAliveTimeout', '30'], ['table']],
  [
    ['--location', '.'],
    ['blob', 'queue', 'table'],
  ],
  [
    ['-l', '.'],
    ['blob', 'queue', 'table'],
  ],
  [['--silent'], ['blob', 'queue', 'table']],
  [['-s'], ['blob', 'queue', 'table']],
  [['--loose'], ['blob', 'queue', 'table']],
  [['-L'], ['blob', 'queue', 'table']],
  [['--skipApiVersionCheck'], ['blob', 'queue', 'table']],
  [['--disableProductStyleUrl'], ['blob', 'queue', 'table']],
  [['--disableTelemetry'], ['blob', 'queue', 'table']],
  [['--inMemoryPersistence'], ['blob', 'queue', 'table']],
  [
    ['--inMemoryPersistence', '--extentMemoryLimit', '64'],
    ['blob', 'queue'],
  ],
  [
    ['--debug', 'debug.log'],
    ['blob', 'queue', 'table'],
  ],
  [
    ['-d', 'debug.log'],
    ['blob', 'queue', 'table'],
  ],
  [
    ['--cert', 'cert.pem', '--key', 'key.pem'],
    ['blob', 'queue', 'table'],
  ],
  [
    ['--cert', 'cert.pfx', '--pwd', 'word'],
    ['blob', 'queue', 'table'],
  ],
  [
    ['--cert', 'cert.pem', '--key', 'key.pem', '--oauth', 'basic'],
    ['blob', 'queue', 'table'],
  ],
];

const flagsOf = (program: string) =>
  azuriteFlags.flatMap(([words, programs]) => {
    const flags = words.filter((word) => word.startsWith('-'));
    // A row names the programs that accept all of its flags. Some of the flags have rows of their own.
    return programs.includes(program) ? flags : [];
  });

/** Flags of which a command line has one: the long and the short form of one flag, and those that exclude each other. */
const alternatives = [
  ['--location', '-l', '--inMemoryPersistence'],
  ['--silent', '-s'],
  ['--loose', '-L'],
  ['--debug', '-d'],
];

/** Puts flags into as few command lines as they fit. Each start takes seconds. */
function combined(all: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const lines: string[][] = [];
  const isOfOne = (words: readonly string[], others: readonly string[]) =>
    [...alternatives, words.slice(0, 1)].some(
      (flags) => words.some((word) => flags.includes(word)) && others.some((word) => flags.includes(word)),
    );
  for (const words of all) {
    const line = lines.find((others) => !isOfOne(words, others));
    if (line) line.push(...words);
    else lines.push([...words]);
  }
  return lines;
}

describe(`Every flag of Azurite ${version}`, () => {
  let dropIn: DropIn | undefined;
  afterEach(async () => {
    await dropIn?.dispose();
    dropIn = undefined;
  });

  it('is listed for the version in the drop-in', () => {
    const { devDependencies } = JSON.parse(
      readFileSync(new URL('../../docker/azurite/package.json', import.meta.url), 'utf8'),
    );
    expect(devDependencies.azurite).toBe(version);
  });

  it.each(
    combined(azuriteFlags.map(([words]) => words).filter((words) => !words.includes('--cert'))).map(
      (words) => [words.join(' '), words] as const,
    ),
  )('starts all three services: azurite %s', async (_line, words) => {
    dropIn = await makeDropIn({
      'azurite-blob': standInFor('Blob', flagsOf('blob')),
      'azurite-queue': standInFor('Queue', flagsOf('queue')),
      'azurite-table': tableProgram,
    });
    const supervised = dropIn.start(words, { TABULARIUM_TABLE_PORT: '0' });
    await untilLine(supervised, 'Azurite Table service is successfully listening');
    supervised.kill('SIGTERM');

    expect(await supervised.ended).toMatchObject({ code: 0, errors: '' });
  });

  it.each(
    azuriteFlags.filter(([words]) => words.includes('--cert')).map(([words]) => [words.join(' '), words] as const),
  )('is passed to all three services: azurite %s', async (_line, words) => {
    dropIn = await makeDropIn({
      'azurite-blob': standInFor('Blob', flagsOf('blob')),
      'azurite-queue': standInFor('Queue', flagsOf('queue')),
      'azurite-table': standInFor('Table', flagsOf('table')),
    });
    const supervised = dropIn.start(words);
    await untilLine(supervised, 'Azurite Table service is successfully listening');

    for (const title of ['Blob', 'Queue', 'Table']) {
      expect(linesOf(supervised).find((line) => line.startsWith(`${title} words`))).toContain(words.join(' '));
    }
  });

  it('that has no effect is named in one line', async () => {
    dropIn = await makeDropIn({
      'azurite-blob': standInFor('Blob', flagsOf('blob')),
      'azurite-queue': standInFor('Queue', flagsOf('queue')),
      'azurite-table': standInFor('Table', flagsOf('table')),
    });
    const supervised = dropIn.start(['--queueKeepAliveTimeout', '30', '--silent']);
    await untilLine(supervised, 'Azurite Table service is successfully listening');

    expect(linesOf(supervised).filter((line) => line.includes('KeepAlive'))).toEqual([
      '--queueKeepAliveTimeout has no effect: the queue service of Azurite does not use it.',
    ]);
  });

  it('for the table service is an option of Tabularium', () => {
    const own = settingNames.flatMap((name) =>
      optionFlags(name)
        ?.split(/[ ,]+/)
        .filter((word) => word.startsWith('-')),
    );
    for (const flag of flagsOf('table')) expect(own).toContain(flag);
  });
});
