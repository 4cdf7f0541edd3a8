import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The size at which the young generation stops growing: the limit of Node.js 20. Unit: bytes. Source: docs/benchmarks.md. */
const youngBytesMax = 32 * 1024 * 1024;

/** How many times as large V8 makes the young generation in one step of its growth. */
const defaultFactor = 2;

/**
 * Lets the young generation of V8's heap grow to a size, in one step, and not beyond it. Later versions of Node.js let it
 * grow to 128 MiB under load, and keep that.
 *
 * Does nothing if the user has set a size. Only a command may call this: it applies to the whole process, which a library
 * must not change.
 */
export function boundYoungGeneration(bytesMax = youngBytesMax): void {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
  if (flags.some((flag) => /semi[-_]space/.test(flag))) return;
  let factor = defaultFactor;
  // V8 reads the limit once, when it starts. The factor of the growth is the one flag that it reads each time. While a server
  // has little to do, V8 shrinks the young generation, and in small steps it would take a second of work to grow again.
  const observer = new PerformanceObserver((list) => {
    // After a full collection, V8 may count one of the two halves only.
    if (!list.getEntries().some(isYoung)) return;
    const wanted = Math.max(1, Math.floor(bytesMax / youngBytes()));
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Returns whether a collection was one of the young generation alone. */
function isYoung(collection: PerformanceEntry): boolean {
  const { detail } = collection as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR;
}

/** Returns the size of the young generation. Unit: bytes. */
function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}

/**
 * Lets the old generation of V8's heap grow to twice the live data.
 *
 * V8 would let garbage grow to three times the live data, and keeps the pages after the collection: 240 MiB instead of 196 after 200,000
 * inserts. An import has as many full collections as without the limit.
 *
 * Leaves a growth alone that the user has set. Only a command may call this: it applies to the whole process, which a library must not
 * change.
 */
export function boundOldGeneration(): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-');
  if (!given.includes('heap-growing-percent')) setFlagsFromString('--heap-growing-percent=100');
}
