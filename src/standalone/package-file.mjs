// Replaces src/package-file.ts in the standalone binary: the files of the package are in the binary.
import { getRawAsset } from 'node:sea';

/** @param {string} path */
export function readPackageFile(path) {
  return Buffer.from(getRawAsset(path));
}
