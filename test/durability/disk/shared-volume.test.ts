import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { eachInFolder, startAndFail, startChild } from '../../support/programs/child-server.js';
import { openAt } from '../../support/programs/data-folder.js';

let location: string;
let folder: string;
eachInFolder((made) => {
  location = made;
  folder = join(location, dataFolder);
});

/** Returns the permissions of the data folder and of all files in it, as three octal digits. */
function permissions(): Readonly<Record<string, string>> {
  const names = ['.', ...readdirSync(folder)];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8).padStart(3, '0')]),
  );
}

const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform === 'win32')('The data folder', () => {
  it('is writable by the group if its location is, and by no other users', async () => {
    chownSync(location, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    chmodSync(location, 0o775);
    const server = await startChild({ location });
    await server.client().post('/Tables', { TableName: 'Kept' });
    await server.stop('SIGKILL');
    const again = await startChild({ location });
    const { '.': ofFolder, ...ofFiles } = permissions();
    await again.stop('SIGTERM');
    expect(ofFolder).toBe('770');
    const names = Object.keys(ofFiles).map((name) => name.replace(/\d+/, 'N'));
    expect(names.sort()).toEqual([
      ...['COMMITS-N', 'COMMITS-N', 'CURRENT', 'FORMAT', 'LOCK', 'LOG', 'LOG.old', 'MANIFEST-N', 'N.ldb', 'N.log'],
    ]);
    expect([...new Set(Object.values(ofFiles))]).toEqual(['664']);
  });

  it.each([0o755, 0o700])('is for its owner alone if its location is not writable by the group: %o', async (mode) => {
    chmodSync(location, mode);
    const server = await startChild({ location });
    await server.stop('SIGTERM');
    expect([...new Set(Object.values(permissions()))].sort()).toEqual(['644', '700']);
  });

  it('does not change the umask of a process that uses the library', async () => {
    chmodSync(location, 0o775);
    const before = process.umask();
    await (await openAt(location)).close();
    expect(process.umask()).toBe(before);
  });
});

describe.skipIf(!isRoot)(`A volume of group 0${isRoot ? '' : ' (skipped: needs root)'}`, () => {
  it('that one user has written opens for another user, and for the first one again', async () => {
    chownSync(location, 0, 0);
    chmodSync(location, 0o775);
    for (const [at, uid] of [100_001, 100_002, 100_001, 100_003].entries()) {
      const server = await startChild({ location, user: { uid, gid: 0 } });
      await server.client().post('/Tables', { TableName: `Of${at}` });
      expect((await server.client().get('/Tables')).rows).toHaveLength(at + 1);
      await server.stop(at % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    }
  });

  it('that only root may write is rejected, with the owner to give it and the user to start as', async () => {
    // Docker creates the folder of a bind mount like this.
    chownSync(location, 0, 0);
    chmodSync(location, 0o755);
    const { code, errors } = await startAndFail({ location, user: { uid: 10_001, gid: 0 } });
    expect(code).toBe(2);
    expect(errors).toContain('chown -R 10001:0');
    expect(errors).toContain('docker run --user');
  });

  it.each([
    ['root', 0],
    ['any user', 12_345],
  ])('that %s owns opens for that user', async (_owner, id) => {
    chownSync(location, id, id);
    chmodSync(location, 0o755);
    const server = await startChild({ location, user: { uid: id, gid: id } });
    await server.client().post('/Tables', { TableName: 'Kept' });
    await server.stop('SIGTERM');
  });

  it('is rejected in one line if only another user may write it', async () => {
    const own = await startChild({ location });
    await own.stop('SIGTERM');
    chmodSync(location, 0o755);
    const { code, errors } = await startAndFail({ location, user: { uid: 100_001, gid: 100_001 } });
    expect(code).toBe(2);
    expect(errors).toMatch(
      /^The data in .* cannot be opened: .*[Pp]ermission denied.* Check that the folder is writable for user 100001, group 100001: .*\n$/,
    );
  });
});
