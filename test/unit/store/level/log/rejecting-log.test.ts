import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFiles } from '../../../../../src/store/level/log/log-files.js';
import { type LevelUnderTest, openLevelOn } from '../../../../support/store/open-level-on.js';
import { account, commit, insert, keyAt, rowsOf } from '../../../../support/store/store-changes.js';

describe('a log that takes no commits', () => {
  let isFull: boolean;
  let tested: LevelUnderTest;
  const noSpace = () => new Error('ENOSPC: no space left on device');
  beforeEach(async () => {
    isFull = false;
    const files: typeof systemFiles = {
      ...systemFiles,
      write(descriptor, bytes, position) {
        // A full disk takes a part of a write.
        if (isFull) systemFiles.write(descriptor, bytes.subarray(0, 20), position);
        else return systemFiles.write(descriptor, bytes, position);
        throw noSpace();
      },
      async writeLater(descriptor, bytes, position) {
        this.write(descriptor, bytes, position);
      },
      cut(descriptor, bytes) {
        if (isFull) throw noSpace();
        systemFiles.cut(descriptor, bytes);
      },
    };
    tested = await openLevelOn('LevelDB', undefined, { logOptions: { files } });
    await tested.store().createTable(account, 'Table');
    await commit(tested.store(), 'Table', insert(keyAt('old')));
  });
  afterEach(() => tested.dispose());

  it('fails the write, which leaves nothing, and takes the next ones when there is space', async () => {
    const store = tested.store();
    isFull = true;
    for (const row of ['a', 'b']) await expect(commit(store, 'Table', insert(keyAt(row)))).rejects.toThrow('ENOSPC');
    await expect((async () => store.createTable(account, 'New'))()).rejects.toThrow('ENOSPC');
    expect(await rowsOf(store, 'Table')).toEqual(['p/old']);
    isFull = false;
    for (const row of ['a', 'c']) await commit(store, 'Table', insert(keyAt(row)));
    expect(await rowsOf(store, 'Table')).toEqual(['p/a', 'p/c', 'p/old']);
    await tested.reopen();
    expect(await rowsOf(tested.store(), 'Table')).toEqual(['p/a', 'p/c', 'p/old']);
    expect(tested.store().listTables(account)).toHaveLength(1);
    expect(tested.reports).toEqual([]);
  });
});
