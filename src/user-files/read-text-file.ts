import { ConfigError } from '../config.js';
import { readFollowedFile, readUserFileSync, reasonOf } from '../tls/read-user-file.js';

/** A file of settings or accounts: its path, and the words that error messages use for it. */
export interface TextFile {
  readonly path: string;
  /** The subject of an error message, such as `The accounts in x`. */
  readonly subject: string;
  /** The kind of file to pass instead, such as `a JSON file of settings`. */
  readonly wanted: string;
}

/** Reads a text file. Errors: ConfigError with the path, the reason and what to pass instead. */
export function readTextFile(file: TextFile): string {
  try {
    return decodeText(readUserFileSync(file.path), file);
  } catch (error) {
    throw explainFault(error, file);
  }
}

/** Reads a text file that is followed, without blocking. Errors: as `readTextFile`. */
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
