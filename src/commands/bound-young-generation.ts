import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The size at which the young generation stops growing: the limit of Node.js 20. Unit: bytes. Source: docs/benchmarks.md. */
const youngBytesMax = 32 * 1024 * 1024;

/**
 * Keeps the young generation of V8's heap near a size: it can pass it by one step of its growth. Later versions of
 * Node.js let it grow to 128 MiB under load, and keep that.
 *
 * Does nothing if the user has set a size. Only a command may call this: it applies to the whole process, which a library
 * must not change.
 */
export function boundYoungGeneration(bytesMax = youngBytesMax): void {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
  if (flags.some((flag) => /semi[-_]space/.test(flag))) return;
  // V8 reads the limit once, when it starts. The factor of the growth is the one flag that it reads each time.
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < bytesMax) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Returns the size of the young generation. Unit: bytes. */
function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
