import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Level } from 'level';
import { createClock } from '../../../src/clock/clock.js';
import { readManifest } from '../../../src/store/level/check/leveldb/read-manifest.js';
import { commitsKey } from '../../../src/store/level/engine/key-encoding.js';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { openStore } from '../../../src/store/open-store.js';
import type { Store } from '../../../src/store/store.js';
import { account, commit, insert, keyAt, replace } from '../store/store-changes.js';

/** Number of rows that `fillFolder` writes. Each contains its own number. */
export const filledRows = 3000;

/** Opens the store of a location. Errors in the background go to `report`. */
export function openAt(
  location: string,
  report: (error: unknown) => void = () => {},
  durability: 'os' | 'fsync' = 'os',
): Promise<Store> {
  return openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 0, report, durability });
}

/** Removes the log of a closed store, so that changes of its records in LevelDB last. */
export async function removeLog(folder: string): Promise<void> {
  const level = new Level<string, string>(folder);
  await level.del(commitsKey);
  await level.close();
  for (const path of filesOf(folder, /^(?:COMMITS-|FORMAT$)/)) rmSync(path);
}

/** Creates a store whose rows are in several of LevelDB's table files. Returns the data folder. */
export async function fillFolder(location: string): Promise<string> {
  for (let part = 0; part < 3; part++) {
    const store = await openAt(location);
    if (part === 0) await store.createTable(account, 'Table');
    for (let row = part; row < filledRows; row += 30) {
      const rows = Array.from({ length: 10 }, (_, at) => row + 3 * at);
      await commit(store, 'Table', ...rows.map((number) => insert(keyAt(`r${number}`), number)));
    }
    await commit(store, 'Table', replace(keyAt('changed', 'q'), part));
    await store.close();
  }
  const folder = join(location, dataFolder);
  removeObsoleteTables(folder);
  return folder;
}

/** Removes table files that LevelDB has already merged into others, because damage to them has no effect. */
function removeObsoleteTables(folder: string): void {
  const manifest = readManifest(readFileSync(fileOf(folder, /^MANIFEST-/)));
  for (const path of filesOf(folder, /\.ldb$/)) {
    if (!manifest?.tableFiles.has(Number.parseInt(basename(path), 10))) rmSync(path);
  }
}

/** Returns the files of a folder whose names match. */
export function filesOf(folder: string, name: RegExp): readonly string[] {
  return readdirSync(folder)
    .filter((other) => name.test(other))
    .map((other) => join(folder, other));
}

/** Returns the only file of a folder whose name matches. Throws if there is not exactly one. */
export function fileOf(folder: string, name: RegExp): string {
  const found = filesOf(folder, name);
  if (found.length !== 1) throw new Error(`${found.length} files match ${name}: ${found}`);
  return found[0] ?? '';
}

/** Flips one bit of a file, counted from its beginning. Returns a function that flips it back. */
export function flipBit(path: string, bit: number): () => void {
  const bytes = readFileSync(path);
  const damaged = Buffer.from(bytes);
  damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  writeFileSync(path, damaged);
  return () => writeFileSync(path, bytes);
}

/**
 * Returns the hashes of the files of a folder, by name. Leaves out LevelDB's lock and its info log, which LevelDB
 * rewrites even if it cannot open the folder.
 */
export function fingerprint(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => !/^LO(CK|G(\.old)?)$/.test(name));
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return Object.fromEntries(names.map((name) => [name, hashOf(name)]));
}
