import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isTableWhole } from './leveldb-files/check-table.js';

/** A table file of LevelDB, as the manifest has it. */
export interface TableFile {
  readonly name: string;
  /** Unit: bytes. */
  readonly size: number;
}

/** So many files are held open; a system has only so many handles. */
const heldFilesMax = 500;

/** A file that may be held open: LevelDB can take it away, but not from whoever has it. */
interface HeldFile extends TableFile {
  readonly handle: FileHandle | undefined;
}

/**
 * Looks at table files for damage while the store is open already, so that a large store starts as fast as a small one.
 *
 * The first of them (a gigabyte) are held from before LevelDB opens the store: it may put one into another meanwhile,
 * with a checksum over what it read, and the damage must be found all the same.
 */
export class TableCheck {
  readonly #folder: string;
  readonly #files: readonly HeldFile[];
  #running: Promise<string | undefined> | undefined;
  #stopped = false;

  private constructor(folder: string, files: readonly HeldFile[]) {
    this.#folder = folder;
    this.#files = files;
  }

  /** Takes hold of files. Errors: the system's. */
  static async hold(folder: string, files: readonly TableFile[]): Promise<TableCheck> {
    const held = files.map(async (file, at) => {
      return { ...file, handle: at < heldFilesMax ? await open(join(folder, file.name)) : undefined };
    });
    return new TableCheck(folder, await Promise.all(held));
  }

  /** Looks at all of the files, one at a time. Gives the name of the first that is damaged. Errors: the system's. */
  run(): Promise<string | undefined> {
    this.#running ??= this.#checkAll();
    return this.#running;
  }

  /** Looks at no more, and lets the files go. */
  async stop(): Promise<void> {
    this.#stopped = true;
    // Whoever ran it has heard of a failure.
    await this.run().catch(() => {});
  }

  async #checkAll(): Promise<string | undefined> {
    try {
      for (const file of this.#files) {
        if (this.#stopped) return undefined;
        if (!(await this.#isWhole(file))) return file.name;
        // Requests come first.
        await setImmediate();
      }
      return undefined;
    } finally {
      await Promise.all(this.#files.map(({ handle }) => handle?.close()));
    }
  }

  /** Whether a file is as it was written, or no longer needed. */
  async #isWhole({ name, size, handle }: HeldFile): Promise<boolean> {
    const bytes = await (handle?.readFile() ?? readUnlessGone(join(this.#folder, name)));
    return bytes === undefined || (bytes.length === size && isTableWhole(bytes));
  }
}

async function readUnlessGone(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
