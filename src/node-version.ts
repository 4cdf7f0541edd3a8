/** The versions of Node.js in which `require` can load this package, the same as in `engines` of package.json. */
export const supportedNode = 'Node.js 20.19, 22.12 or newer';

/** Whether a version of Node.js, such as "20.19.0", can run this package. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
}

/** Returns the error message for an unsupported version of Node.js; undefined for a supported one. */
export function nodeFault(version: string): string | undefined {
  return isSupportedNode(version) ? undefined : `Tabularium needs ${supportedNode}; this is Node.js ${version}.`;
}
