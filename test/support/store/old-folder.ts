import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { encodeFrame } from '../../../src/store/level/log/commit-frame.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { makeOlder, openAt } from '../programs/data-folder.js';
import { account, commit, insert, keyAt } from './store-changes.js';

/** Makes the data of an older format: a table with the rows a, b and c. In format 4, only the log has the row b. */
export async function makeOldFolder(location: string, format: number): Promise<void> {
  const store = await openAt(location);
  await store.createTable(account, 'Table');
  for (const row of ['a', 'b', 'c']) await commit(store, 'Table', insert(keyAt(row)));
  await store.close();
  const folder = join(location, dataFolder);
  await makeOlder(folder, format);
  if (format >= 4) await moveToOldLog(folder, 'b');
}

/** Moves a row from LevelDB to the log that format 4 had, which is the only one to have it then. */
export async function moveToOldLog(folder: string, row: string): Promise<void> {
  const level = new Level<string, string>(folder);
  const rows = await level.iterator({ gte: 'entity', lt: 'entitz' }).all();
  const changes = rows.filter(([key]) => key.endsWith(`\0${row}`)).map(([key, value]) => ({ key, value }));
  await level.batch(changes.map(({ key }) => ({ type: 'del' as const, key })));
  await level.close();
  const buffer = Buffer.alloc(10_000);
  writeFileSync(join(folder, 'COMMITS-1'), buffer.subarray(0, encodeFrame(buffer, { number: 1, changes })));
  writeFileSync(join(folder, 'COMMITS-2'), '');
}
