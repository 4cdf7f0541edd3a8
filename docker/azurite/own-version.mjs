import { readFileSync } from 'node:fs';

/** Returns the version of this package, which is always that of Tabularium. */
export function ownVersion() {
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve('tabularium/package.json')), 'utf8'));
  return String(version);
}
