import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../store-error.js';
import { readLog } from '../check/leveldb/read-log.js';
import type { Manifest } from '../check/leveldb/read-manifest.js';
import { damaged } from '../explain-failure.js';

/**
 * Checks LevelDB's logs, oldest first, in a folder of version 0.1.0. It had no other log, so they may be the only copy of their writes, and
 * LevelDB skips damaged ones. Changes nothing. Returns a warning if the last write was cut off.
 *
 * Errors: StoreError if a log is damaged or missing.
 */
export async function checkOldLogs(
  folder: string,
  logs: readonly string[],
  { log: oldest }: Manifest,
): Promise<StoreError | undefined> {
  if (oldest > 0 && Number.parseInt(logs[0] ?? '', 10) !== oldest) {
    throw damaged(`the file ${String(oldest).padStart(6, '0')}.log is missing`, folder);
  }
  let warning: StoreError | undefined;
  for (const name of logs) {
    const path = join(folder, name);
    const bytes = await readFile(path);
    const { end, rest } = readLog(bytes);
    if (rest === 'damaged') {
      const cut = `cutting ${path} to its first ${end} bytes loses only the writes after them`;
      throw damaged(`the file ${name} is damaged at byte ${end}${name === logs.at(-1) ? ` (${cut})` : ''}`, folder);
    }
    if (rest === 'torn') {
      warning = new StoreError(
        'torn-write',
        `The file ${path} ended within a write, whose ${bytes.length - end} bytes were left out.`,
        'A killed process or a full disk causes this, and the write was not acknowledged. ' +
          'If something else has shortened the file, writes are lost.',
      );
    }
  }
  return warning;
}
