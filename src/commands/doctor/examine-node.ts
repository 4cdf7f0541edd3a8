import type { Finding } from './finding.js';

/** The oldest Node.js that works; the same as in package.json. */
const oldest = [20, 19] as const;

/** Whether this Node.js is new enough. */
export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const says = `Node.js ${version}`;
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return { about: 'Node.js', says };
  return { about: 'Node.js', says, remedy: `Install Node.js ${oldest.join('.')} or newer.` };
}
