import type { Finding } from './finding.js';

/** The oldest supported version of Node.js, as in package.json. */
const oldest = [20, 19] as const;

/** Checks that a version of Node.js is supported. */
export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const found = `Node.js ${version}`;
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return { about: 'Node.js', found };
  return { about: 'Node.js', found, remedy: `Install Node.js ${oldest.join('.')} or newer.` };
}
