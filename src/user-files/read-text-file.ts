import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { ConfigError } from '../config.js';

/** A file of settings or accounts: its path, and the words that error messages use for it. */
export interface TextFile {
  readonly path: string;
  /** The subject of an error message, such as `The accounts in x`. */
  readonly subject: string;
  /** The kind of file to pass instead, such as `a JSON file of settings`. */
  readonly wanted: string;
}

/** Reads a text file. Errors: ConfigError with the path, the reason and the fix. */
export function readTextFile(file: TextFile): string {
  try {
    return decodeText(readUserFileSync(file.path), file);
  } catch (error) {
    throw explainFault(error, file);
  }
}

/** Reads a followed text file without blocking. Errors: as `readTextFile`. */
export async function readTextFileAsync(file: TextFile): Promise<string> {
  try {
    return decodeText(await readFollowedFile(file.path), file);
  } catch (error) {
    throw explainFault(error, file);
  }
}

/** Decodes UTF-8, with or without a byte order mark, and UTF-16 with one, which PowerShell writes by default. */
function decodeText(content: Buffer, { path, wanted }: TextFile): string {
  const encoding = content[0] === 0xff && content[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(content);
    if (!text.includes('\0')) return text;
  } catch {
    // Falls through to the message for text with a null character.
  }
  throw new ConfigError(`${path} is not text. Pass ${wanted}, in UTF-8.`);
}

function explainFault(error: unknown, { subject, wanted }: TextFile): ConfigError {
  if (error instanceof ConfigError) return error;
  return new ConfigError(`${subject} cannot be read: ${reasonOf(error)}. Pass ${wanted}.`);
}

/**
 * Without O_NONBLOCK, opening a named pipe waits forever for a writer, in a thread that all file access of the process needs and
 * that keeps the process alive. Windows has neither the flag nor such files.
 */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Paths that a shell passes to the process: its standard input, or the output of another program. */
const inheritedPath = /^\/dev\/(?:stdin|fd\/\d+)$/;

/**
 * Reads a whole file, or a stream from a shell, such as `/dev/stdin` or `/dev/fd/63`, to its end. Errors: those of the file
 * system, and one for a pipe or a device.
 */
export function readUserFile(path: string): Promise<Buffer> {
  return inheritedPath.test(path) ? readFile(path) : readFollowedFile(path);
}

/** Reads a whole followed file, which cannot be a stream from a shell. Errors: as `readUserFile`. */
async function readFollowedFile(path: string): Promise<Buffer> {
  const file = await open(path, readFlags);
  try {
    checkKind(await file.stat());
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Like `readUserFile`, but blocks. */
function readUserFileSync(path: string): Buffer {
  if (inheritedPath.test(path)) return readFileSync(path);
  const file = openSync(path, readFlags);
  try {
    checkKind(fstatSync(file));
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function checkKind(found: Stats): void {
  // Reading a folder fails with the system's own reason.
  if (!found.isFile() && !found.isDirectory()) throw new Error('it is not a file, but a pipe or a device');
}

/** Texts for the error codes of the file system. */
const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EEXIST', 'a part of its path is a file, not a folder'],
  ['ENXIO', 'it is not a file, but a socket or a device'],
  ['EACCES', 'this user may not access it'],
  ['EPERM', 'this user may not access it'],
  ['EROFS', 'the file system is read-only'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ELOOP', 'its links form a circle'],
]);

/** Returns why the system rejected a file: "it is a folder". For other codes it returns the system's message. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return reasons.get(code) ?? (error instanceof Error ? error.message : String(error));
}
