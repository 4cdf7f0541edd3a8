import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from '../../config.js';
import { makeFolder } from '../../store/folder/make-folder.js';
import { reasonOf } from '../../tls/read-user-file.js';

/**
 * Checks that the debug log can be written, and creates the file with its folders. A running server would continue
 * without the log, so this runs before the server starts.
 *
 * Errors: ConfigError with the path and the reason.
 */
export async function checkDebugFile(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    const found = await stat(path).catch(() => undefined);
    // Opening a named pipe would wait for its reader.
    if (found !== undefined && !found.isFile() && !found.isDirectory()) return;
    await makeFolder(dirname(path));
    const file = await open(path, 'a');
    await file.close();
  } catch (error) {
    throw new ConfigError(
      `The debug log ${path} cannot be written: ${reasonOf(error)}. Pass a file that this user can write, or leave out --debug.`,
    );
  }
}
