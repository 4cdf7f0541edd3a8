import { readFileSync } from 'node:fs';

/**
 * Reads a file of this package by its path from the root of the package. The standalone binary replaces this module by one that
 * reads the files in the binary.
 */
export function readPackageFile(path: string): Buffer {
  return readFileSync(new URL(`../${path}`, import.meta.url));
}
