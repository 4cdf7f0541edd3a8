import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The folders that `npm run build` reads. It writes `src/generated` itself. */
const sources = ['src', 'grammar'];

/** Returns the path of a source that is newer than the build; undefined if there is none, and an empty path if nothing was built. */
export function newerSource() {
  const built = statSync(join(root, 'build/bundle.json'), { throwIfNoEntry: false });
  if (!built) return '';
  return sources
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((one) => join(folder, one)),
    )
    .filter((path) => !/[\\/]generated[\\/]?|[\\/](?:calls|rows|library[\\/]options)\.ts$/.test(path))
    .find((path) => {
      const source = statSync(join(root, path));
      return source.isFile() && source.mtimeMs > built.mtimeMs;
    });
}

/**
 * Returns the path of a built file. Errors: if a source is newer than the build, so that no test runs an old program.
 *
 * @param {string} path from the root of the project
 */
export function builtFile(path) {
  const newer = newerSource();
  if (newer !== undefined) throw new Error(`${newer || 'the program'} is not built. Run: npm run build`);
  return join(root, path);
}
