import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../store-error.js';
import { checkTables, type TableFile } from './check-tables.js';
import { damaged, formatFile } from './format.js';
import { readLog } from './leveldb-files/read-log.js';
import { type Manifest, readManifest } from './leveldb-files/read-manifest.js';
import type { TableSums } from './table-sums.js';

/** What was found in a folder. */
export interface FolderFindings {
  /** What a start reports: the last write was cut off. */
  readonly warning: StoreError | undefined;
  /** The checksums of the table files, all of which are whole; undefined where all of them were known. */
  readonly newSums: TableSums | undefined;
  /** The files that LevelDB reads; undefined where there is no store yet. */
  readonly files: StoreFiles | undefined;
}

/** The names of a store's files. */
export interface StoreFiles {
  /** These never change after they are written. */
  readonly tables: readonly string[];
  /** CURRENT, the manifest and the logs. */
  readonly others: readonly string[];
}

/**
 * Checks all files of a store before LevelDB opens it, and changes nothing.
 *
 * LevelDB makes an empty store where its file CURRENT or its log is missing, and deletes the tables that it then does
 * not know. It steps over damaged writes in its log. It does not check what it reads from its tables, and a compaction,
 * which may run as soon as the store is open, writes a damaged row into a new table with a valid checksum. So nothing
 * may be left for later.
 *
 * Errors: StoreError where the store would answer wrongly; the reason of the signal, which ends the check.
 */
export async function checkFolder(folder: string, signal?: AbortSignal): Promise<FolderFindings> {
  const names = await readdir(folder);
  if (!names.includes('CURRENT')) {
    if (holdsStore(names)) throw damaged('the file CURRENT is missing', folder);
    return { warning: undefined, newSums: undefined, files: undefined };
  }
  const current = (await readFile(join(folder, 'CURRENT'), 'latin1')).trimEnd();
  if (!/^MANIFEST-\d+$/.test(current)) throw damaged('the file CURRENT is damaged', folder);
  if (!names.includes(current)) throw damaged(`the file ${current} is missing`, folder);
  const manifest = readManifest(await readFile(join(folder, current)));
  if (!manifest) throw damaged(`the file ${current} is damaged`, folder);
  const tables = await findTables(folder, names, manifest);
  const logs = findLogs(folder, names, manifest);
  const warning = await checkLogs(folder, logs);
  const newSums = await checkTables(folder, tables, signal);
  const files = { tables: tables.map(({ name }) => name), others: ['CURRENT', current, ...logs] };
  return { warning, newSums, files };
}

/** Whether files lie there that are part of a store. A process killed within its first start leaves a first manifest. */
function holdsStore(names: readonly string[]): boolean {
  const isPart = (name: string) => name === formatFile || /^\d+\.(log|ldb|sst)$/.test(name);
  return names.some((name) => isPart(name) || (/^MANIFEST-/.test(name) && !/^MANIFEST-0*1$/.test(name)));
}

/** The files of the manifest's tables. */
async function findTables(folder: string, names: readonly string[], { tables }: Manifest): Promise<TableFile[]> {
  const found = new Map(names.filter((name) => /\.(ldb|sst)$/.test(name)).map((name) => [numberOf(name), name]));
  const files = [...tables].map(([number, size]) => {
    const name = found.get(number);
    if (name === undefined) throw damaged(`the file ${fileName(number, 'ldb')} is missing`, folder);
    return { name, size };
  });
  const stats = await Promise.all(files.map(({ name }) => stat(join(folder, name))));
  const cut = files.find(({ size }, at) => stats[at]?.size !== size);
  if (cut) throw damaged(`the file ${cut.name} is damaged`, folder);
  return files;
}

/** The logs whose writes are not yet in a table, oldest first. */
function findLogs(folder: string, names: readonly string[], { log: oldest }: Manifest): readonly string[] {
  const logs = names
    .filter((name) => /^\d+\.log$/.test(name) && numberOf(name) >= oldest)
    .sort((a, b) => numberOf(a) - numberOf(b));
  if (oldest > 0 && numberOf(logs[0] ?? '') !== oldest) {
    throw damaged(`the file ${fileName(oldest, 'log')} is missing`, folder);
  }
  return logs;
}

/** Returns a warning if the last write was cut off. */
async function checkLogs(folder: string, logs: readonly string[]): Promise<StoreError | undefined> {
  let warning: StoreError | undefined;
  for (const name of logs) {
    const path = join(folder, name);
    const bytes = await readFile(path);
    const { end, rest } = readLog(bytes);
    if (rest === 'damaged') {
      const cut = `cutting ${path} to its first ${end} bytes gives up only the writes behind them`;
      throw damaged(`the file ${name} is damaged at byte ${end}${name === logs.at(-1) ? ` (${cut})` : ''}`, folder);
    }
    if (rest === 'torn') {
      warning = new StoreError(
        'torn-write',
        `The file ${path} ended within a write, whose ${bytes.length - end} bytes were left out.`,
        'A killed process or a full disk leaves that, and no such write was acknowledged; ' +
          'if the file was cut short since, writes are lost.',
      );
    }
  }
  return warning;
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** What LevelDB calls a file of this number. */
function fileName(number: number, ending: string): string {
  return `${String(number).padStart(6, '0')}.${ending}`;
}
