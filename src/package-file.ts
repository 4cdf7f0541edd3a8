import { readFileSync } from 'node:fs';

/**
 * Reads a file by its path from the root of this package. The standalone binary replaces this module with one that reads embedded files.
 */
export function readPackageFile(path: string): Buffer {
  return readFileSync(new URL(`../${path}`, import.meta.url));
}
