import { symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCopyPlaces } from '../../../src/commands/copy/copy-options.js';
import { ConfigError } from '../../../src/config.js';
import { makeFolder } from '../../support/programs/make-folder.js';

const database = 'postgres://user@db.example/name';

describe('the places of tabularium copy', () => {
  it('are folders and databases', () => {
    expect(readCopyPlaces({ from: 'a', to: database, toSchema: 'other' }, {})).toEqual({
      from: { engine: 'level', location: 'a' },
      to: { engine: 'postgres', url: database, schema: 'other', connections: 1 },
    });
  });

  it('come from variables, which may hold a password, and flags win', () => {
    const secret = 'postgres://user:s3cret@db.example/name';
    const variables = { TABULARIUM_FROM: secret, TABULARIUM_TO: 'b' };
    expect(readCopyPlaces({ to: 'c' }, variables)).toEqual({
      from: { engine: 'postgres', url: secret, schema: 'tabularium', connections: 1 },
      to: { engine: 'level', location: 'c' },
    });
  });

  it.each([
    [{ to: 'b' }, '--from is missing. Pass a folder, or postgres://user@host:5432/name.'],
    [{ from: 'a' }, '--to is missing. Pass a folder, or postgres://user@host:5432/name.'],
    [{ from: 'a', to: 'a' }, '--from and --to are the same. Pass two places.'],
    [{ from: 'a', to: './x/../a' }, '--from and --to are the same. Pass two places.'],
    [
      { from: database, to: 'postgres://other@db.example:5432/name?sslmode=require' },
      '--from and --to are the same. Pass two places.',
    ],
    [
      { from: 'mysql://u:s3cret@h/x', to: 'b' },
      '--from is neither a folder nor a database. Write it as postgres://user@host:5432/name.',
    ],
    [
      { from: 'a', to: 'postgres://user:s3cret@h/x' },
      '--to must not contain a password, because other users can read command lines. Use TABULARIUM_TO, PGPASSWORD or PGPASSFILE.',
    ],
    [{ from: 'a', to: 'b', toSchema: 's' }, '--toSchema needs a database in --to.'],
    [
      { from: database, fromSchema: 'a b', to: 'b' },
      "--fromSchema cannot be 'a b'. Use at most 63 letters, digits and underscores.",
    ],
  ])('%j is refused', (flags, message) => {
    expect(() => readCopyPlaces(flags, {})).toThrow(new ConfigError(message));
  });

  it('in two schemas of one database are two places', () => {
    expect(readCopyPlaces({ from: database, to: database, toSchema: 'copy' }, {}).to).toMatchObject({ schema: 'copy' });
  });

  it('are the same if one is a link to the other', async () => {
    const folder = await makeFolder();
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    expect(() => readCopyPlaces({ from: folder, to: link }, {})).toThrow('are the same');
    expect(() => readCopyPlaces({ from: folder, to: join(link, 'below') }, {})).not.toThrow();
    await rm(link);
    await rm(folder, { recursive: true });
  });
});
