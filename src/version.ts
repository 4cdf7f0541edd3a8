import { readFileSync } from 'node:fs';

/** Returns the version of this program. */
export function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(version);
}
