import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config.js';
import { reasonOf } from '../http/file-reason.js';

/** A file of settings or accounts: its path, and how messages name it and say what it should be. */
export interface TextFile {
  readonly path: string;
  /** Begins a message: `The accounts in x`. */
  readonly subject: string;
  /** What to pass instead: `a JSON file of settings`. */
  readonly wanted: string;
}

/** Reads a text file. Errors: ConfigError naming the file, the reason and what to pass instead. */
export function readTextFile(file: TextFile): string {
  try {
    return decodeText(readFileSync(file.path), file);
  } catch (error) {
    throw explainFault(error, file);
  }
}

/** Reads a text file, without blocking. Errors: as `readTextFile`. */
export async function readTextFileLater(file: TextFile): Promise<string> {
  try {
    return decodeText(await readFile(file.path), file);
  } catch (error) {
    throw explainFault(error, file);
  }
}

/** Decodes UTF-8, or UTF-16 as PowerShell writes it by default, with or without a byte order mark. */
function decodeText(content: Buffer, { path, wanted }: TextFile): string {
  const encoding = content[0] === 0xff && content[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(content);
    if (!text.includes('\0')) return text;
  } catch {
    // The same message as for text with a null character.
  }
  throw new ConfigError(`${path} is not text. Pass ${wanted}, in UTF-8.`);
}

function explainFault(error: unknown, { subject, wanted }: TextFile): ConfigError {
  if (error instanceof ConfigError) return error;
  return new ConfigError(`${subject} cannot be read: ${reasonOf(error)}. Pass ${wanted}.`);
}
