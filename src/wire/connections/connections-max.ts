import { readFileSync } from 'node:fs';

/** Maximum number of file handles for the data folder, the log and the rest of the process. Estimate. */
const ownHandlesMax = 1200;

/**
 * Returns the maximum number of connections that leaves file handles for the data, the log and one more client. Infinite on
 * systems other than Linux, which do not publish the number of handles.
 */
export function readConnectionsMax(): number {
  try {
    return connectionsMax(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns how many connections the text of `/proc/self/limits` allows: half of the handles, or more if there are many. */
export function connectionsMax(limits: string): number {
  const handles = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return handles - Math.min(Math.ceil(handles / 2), ownHandlesMax);
}
