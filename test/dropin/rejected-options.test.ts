import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from '../support/programs/place.js';
import { runLine } from '../support/programs/run-line.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
  await mkdir(join(place.folder, 'folder'));
  await writeFile(join(place.folder, 'empty'), '');
  await writeFile(join(place.folder, 'binary'), Buffer.from([0, 255, 10, 254, 13, 10, 27]));
  await chmod(join(place.folder, 'empty'), 0o644);
});
afterEach(() => place.clear());

const oneLine = expect.stringMatching(/^The debug log .*\n$/) as string;

/** Puts the files of the tests into their folder. */
const inPlace = (arg: string) => (/^(?:folder|empty|binary|none)\b(?!\.)/.test(arg) ? join(place.folder, arg) : arg);

const memory = ['--inMemoryPersistence', '--tablePort', '0'];

describe('An invalid option', () => {
  it.each([
    [
      'a folder as certificate',
      ['--cert', 'folder', '--key', 'empty'],
      /^The certificate folder cannot be read: it is a folder\. Pass/,
    ],
    ['an empty certificate', ['--cert', 'empty', '--key', 'empty'], /^The certificate empty is empty\. Pass the file/],
    ['a binary certificate', ['--cert', 'binary', '--key', 'binary'], /^binary is not a PEM certificate\. Pass one/],
    ['a folder as PFX', ['--cert', 'folder', '--pwd', 'x'], /^The certificate folder cannot be read: it is a folder\./],
    [
      'a binary PFX',
      ['--cert', 'binary', '--pwd', 'x'],
      /^The PFX file binary cannot be served: .* export it again\.$/,
    ],
    [
      'a host that does not exist',
      ['--tableHost', 'none.invalid'],
      /^getaddrinfo .*\. This machine does not have the address\. Pass/,
    ],
  ])('is rejected by the start in one line, without a stack: %s', async (_what, args, line) => {
    const { code, output, errors } = await place.start('tabularium', [...memory, ...args]).ended;

    expect({ code, output }).toMatchObject({ code: 2, output: '' });
    expect(errors.split('\n')).toEqual([expect.stringMatching(line), '']);
  });

  it.each([
    [
      'a folder as debug log',
      ['--debug', 'folder'],
      /^The debug log folder cannot be written: it is a folder\. Pass a file/,
    ],
    [
      'a debug log below a file',
      ['--debug', 'empty/log'],
      /^The debug log empty\/log cannot be written: a part of its path/,
    ],
    [
      'a debug log in a folder that cannot be created',
      ['--debug', '/proc/none/log'],
      /^The debug log \/proc\/none\/log cannot be/,
    ],
    ['a folder of settings', ['--config', 'folder'], /^folder cannot be read: it is a folder\. Pass a JSON file/],
    [
      'an empty file of settings',
      ['--config', 'empty'],
      /^empty is empty\. Write settings into it as \{"tablePort": 10002\}\.$/,
    ],
    ['a binary file of settings', ['--config', 'binary'], /^binary is not text\. /],
    [
      'a folder of accounts',
      ['--accountsFile', 'folder'],
      /^The accounts in folder cannot be read: it is a folder\. Pass/,
    ],
    ['a binary file of accounts', ['--accountsFile', 'binary'], /^binary is not text\. /],
    [
      'a missing file of accounts',
      ['--accountsFile', 'none'],
      /^The accounts in none cannot be read: it does not exist\. /,
    ],
    ['a value of 5,000 letters', ['--tablePort', 'a'.repeat(5000)], /^--tablePort must be a number; got 'a{99}…/],
    [
      'a value of several lines',
      ['--log', 'a\nb\x1b[2J'],
      /^--log must be one of: human, json; got 'a\\nb\\x1b\[2J'\.$/,
    ],
  ])('is rejected before a start, in one line: %s', async (_what, args, line) => {
    const { code, out, errors } = await runLine([...memory, ...args.map(inPlace)]);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors.replaceAll(join(place.folder, '/'), '').split('\n')).toEqual([expect.stringMatching(line), '']);
  });

  it('is rejected before anything is created on disk', async () => {
    const before = await readdir(place.folder);
    const args = ['--debug', 'folder', '--location', 'data', '--tablePort', '0'];
    expect(await place.start('tabularium', args).ended).toMatchObject({ code: 2, output: '', errors: oneLine });

    expect(await readdir(place.folder)).toEqual(before);
  });
});
