import { readPackageFile } from './package-file.js';

/** Returns the version of this program. */
export function ownVersion(): string {
  const { version } = JSON.parse(readPackageFile('package.json').toString());
  return String(version);
}
