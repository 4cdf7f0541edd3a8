import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolder } from '../../src/store/open-store.js';
import { eachInFolder, startAndFail, startChild } from '../support/child-server.js';
import { openAt } from '../support/data-folder.js';

let location: string;
let folder: string;
eachInFolder((made) => {
  location = made;
  folder = join(location, dataFolder);
});

/** The rights of the data folder and of all files in it, as three digits. */
function rights(): Readonly<Record<string, string>> {
  const names = ['.', ...readdirSync(folder)];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8).padStart(3, '0')]),
  );
}

const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  it('may be written by the group when its location may, and by nobody else', async () => {
    chownSync(location, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    chmodSync(location, 0o775);
    const server = await startChild({ location });
    await server.client().post('/Tables', { TableName: 'Kept' });
    await server.stop('SIGKILL');
    const again = await startChild({ location });
    const { '.': ofFolder, ...ofFiles } = rights();
    await again.stop('SIGTERM');
    expect(ofFolder).toBe('775');
    expect(Object.keys(ofFiles)).toEqual(expect.arrayContaining(['LOCK', 'LOG', 'FORMAT', 'CURRENT']));
    expect([...new Set(Object.values(ofFiles))]).toEqual(['664']);
  });

  it.each([0o755, 0o700])('is as the umask has it when the group may not write its location: %o', async (mode) => {
    chmodSync(location, mode);
    const server = await startChild({ location });
    await server.stop('SIGTERM');
    expect([...new Set(Object.values(rights()))].sort()).toEqual(['644', '755']);
  });

  it('leaves the umask of a process alone that only uses the library', async () => {
    chmodSync(location, 0o775);
    const before = process.umask();
    await (await openAt(location)).close();
    expect(process.umask()).toBe(before);
  });
});

describe.skipIf(!isRoot)(`a volume of group 0${isRoot ? '' : ' (skipped: only root may run as others)'}`, () => {
  it('that one user has written opens for another, and for the first again', async () => {
    chownSync(location, 0, 0);
    chmodSync(location, 0o775);
    for (const [at, uid] of [100_001, 100_002, 100_001, 100_003].entries()) {
      const server = await startChild({ location, user: { uid, gid: 0 } });
      await server.client().post('/Tables', { TableName: `Of${at}` });
      expect((await server.client().get('/Tables')).rows).toHaveLength(at + 1);
      await server.stop(at % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    }
  });

  it('is refused in one line where it belongs to another user alone', async () => {
    const own = await startChild({ location });
    await own.stop('SIGTERM');
    chmodSync(location, 0o755);
    const { code, errors } = await startAndFail({ location, user: { uid: 100_001, gid: 100_001 } });
    expect(code).toBe(1);
    expect(errors).toMatch(
      /^The data in .* cannot be opened: .*Permission denied.* See that the folder can be written .*\n$/,
    );
  });
});
