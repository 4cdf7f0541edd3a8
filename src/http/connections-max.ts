import { readFileSync } from 'node:fs';

/** What the data folder, the log and the rest of the process may need at most. Unit: file handles. Estimate. */
const ownHandlesMax = 1200;

/**
 * Returns how many connections a server may hold so that file handles are left for the data, the log and one more
 * client. Infinite where the system does not say how many handles there are, which only Linux does.
 */
export function readConnectionsMax(): number {
  try {
    return connectionsMax(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns how many connections the text of `/proc/self/limits` allows: half of the handles, or more of many. */
export function connectionsMax(limits: string): number {
  const handles = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return handles - Math.min(Math.ceil(handles / 2), ownHandlesMax);
}
