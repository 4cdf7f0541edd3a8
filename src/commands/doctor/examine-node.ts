import { isSupportedNode, supportedNode } from '../../node-version.js';
import type { Finding } from './finding.js';

/** Checks that a version of Node.js is supported. */
export function examineNode(version: string): Finding {
  const finding = { about: 'Node.js', found: `Node.js ${version}` };
  return isSupportedNode(version) ? finding : { ...finding, remedy: `Install ${supportedNode}.` };
}
