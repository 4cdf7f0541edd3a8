import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkExportPath, writeExport } from '../../../src/transfer/files/write-aside.js';
import { piecesOf } from '../../support/bodies/transfer-tools.js';
import { makeFolder } from '../../support/programs/make-folder.js';

const [orders, empty] = ['{"$table":"Orders"}\n{"PartitionKey":"p","RowKey":"r"}\n', '{"$table":"Empty"}\n'];

describe('A written export', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const write = (name: string, text: string, format: 'ndjson' | 'json' | 'csv' = 'ndjson') =>
    writeExport(join(folder, name), format, piecesOf(Buffer.from(text), 7));
  const read = (...name: readonly string[]) => readFile(join(folder, ...name), 'utf8');
  const broken = async function* () {
    yield Buffer.from(empty);
    throw new Error('the connection was cut');
  };

  it('is a file if the name ends in a format', async () => {
    await write('all.ndjson', orders + empty);
    expect(await read('all.ndjson')).toBe(orders + empty);
    expect(await readdir(folder)).toEqual(['all.ndjson']);
  });

  it('is a folder with a file for each table otherwise', async () => {
    await write('all', orders + empty);
    expect(await readdir(folder)).toEqual(['all']);
    expect((await readdir(join(folder, 'all'))).sort()).toEqual(['Empty.ndjson', 'Orders.ndjson']);
    expect(await read('all', 'Orders.ndjson')).toBe(orders);
    await expect(write('all', '', 'csv')).rejects.toThrow('A folder export is always NDJSON, not csv.');
  });

  it('is the same folder if the path ends in a slash', async () => {
    await write('all/', orders + empty);
    await write('all/', empty);
    expect(await readdir(folder)).toEqual(['all']);
    expect(await readdir(join(folder, 'all'))).toEqual(['Empty.ndjson']);
  });

  it.each(['all', 'all.ndjson'])('goes to where a link leads to, which stays: %s', async (name) => {
    await write(name, orders);
    await symlink(name, join(folder, `linked-${name}`));
    await write(`linked-${name}`, empty);
    expect((await lstat(join(folder, `linked-${name}`))).isSymbolicLink()).toBe(true);
    expect((await readdir(folder)).sort()).toEqual([name, `linked-${name}`]);
    expect(await (name === 'all' ? read(name, 'Empty.ndjson') : read(name))).toBe(empty);
  });

  it('needs a folder that it can be put into', async () => {
    await expect(write(join('missing', 'all'), empty)).rejects.toThrow('is not a writable folder');
  });

  it.runIf(process.platform === 'linux')('does not take the place of a mounted file system', async () => {
    await expect(checkExportPath('/proc', 'ndjson')).rejects.toThrow('/proc is a mount point.');
  });

  it.each([
    '../../escaped',
    '/tmp/escaped',
    '..',
    'a/b',
    'a\\b',
    '',
    '.',
    'a:b',
    'CON',
    'x'.repeat(250),
    '表'.repeat(86),
  ])('never leaves its folder for a table named %j', async (name) => {
    const text = `${JSON.stringify({ $table: name })}\n{"PartitionKey":"p","RowKey":"r"}\n`;
    await write('all', text);
    expect(await readdir(folder)).toEqual(['all']);
    const [file = ''] = await readdir(join(folder, 'all'));
    expect(file).toMatch(/^table_\w*-[0-9a-f]{12}\.ndjson$/);
    expect(await read('all', file)).toBe(text);
  });

  it('has a file for each of two tables that differ in letter case alone', async () => {
    await write('all', `${orders}{"$table":"orders"}\n`);
    expect(new Set((await readdir(join(folder, 'all'))).map((file) => file.toLowerCase())).size).toBe(2);
  });

  it.each([
    ['{"PartitionKey":"p","RowKey":"r"}\n', 'Line 1 of the export belongs to no table. Nothing was written.'],
    [`${orders}{"$table":5}\n`, 'Line 3 of the export is wrong. The table name is not a string. Nothing was written.'],
    [`${orders}"${'x'.repeat(16 * 1024 * 1024)}"`, 'Line 3 of the export is longer than 16777216 characters.'],
  ])('fails for what it would lose', async (text, message) => {
    const pieces = piecesOf(Buffer.from(text), 64 * 1024);
    await expect(writeExport(join(folder, 'all'), 'ndjson', pieces)).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual([]);
  });

  it('names the account in the file if the tables do', async () => {
    await write('all', '{"$table":"Orders","account":"one"}\n{"$table":"Orders","account":"two"}\n');
    expect((await readdir(join(folder, 'all'))).sort()).toEqual(['one.Orders.ndjson', 'two.Orders.ndjson']);
  });

  it.each(['all', 'all.ndjson'])('takes the place of an older one at %s', async (name) => {
    await write(name, orders + empty);
    await write(name, empty);
    expect(await readdir(folder)).toEqual([name]);
    expect(await (name === 'all' ? readdir(join(folder, name)) : read(name))).toEqual(
      name === 'all' ? ['Empty.ndjson'] : empty,
    );
  });

  it.each(['all', 'all.ndjson'])('that fails leaves the older one at %s as it was', async (name) => {
    await write(name, orders);
    await expect(writeExport(join(folder, name), 'ndjson', broken())).rejects.toThrow('the connection was cut');
    expect(await readdir(folder)).toEqual([name]);
    expect(await (name === 'all' ? read(name, 'Orders.ndjson') : read(name))).toBe(orders);
  });

  it('overwrites no file that is not an export', async () => {
    await writeFile(join(folder, 'notes.csv'), 'date,note\n');
    await writeFile(join(folder, 'package.json'), '{"name":"x"}');
    await mkdir(join(folder, 'dir.ndjson'));
    for (const [name, format] of [
      ['notes.csv', 'csv'],
      ['package.json', 'json'],
      ['dir.ndjson', 'ndjson'],
    ] as const) {
      await expect(write(name, empty, format)).rejects.toThrow('exists and is not an export');
    }
    expect(await read('notes.csv')).toBe('date,note\n');
    expect(await read('package.json')).toBe('{"name":"x"}');
  });

  it.runIf(process.platform === 'linux')('does not take the place of a device', async () => {
    const error = '/dev/null exists and is not an export. Nothing was written. Choose another path.';
    await expect(checkExportPath('/dev/null', 'ndjson')).rejects.toThrow(error);
  });

  it('replaces no folder that has anything else', async () => {
    await write('all', orders);
    await writeFile(join(folder, 'all', 'README.md'), 'notes');
    await expect(write('all', empty)).rejects.toThrow('README.md exists and is not an export. Nothing was written.');
    expect((await readdir(join(folder, 'all'))).sort()).toEqual(['Orders.ndjson', 'README.md']);
    expect(await readdir(folder)).toEqual(['all']);
  });
});
