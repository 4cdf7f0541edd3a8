import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The size at which the young generation stops growing: the limit of Node.js 20. Unit: bytes. Source: docs/benchmarks.md. */
const youngBytesMax = 32 * 1024 * 1024;

/** V8's default factor for one growth step of the young generation. */
const defaultFactor = 2;

/**
 * Lets the young generation of V8's heap grow to `bytesMax` in one step, but not further. Versions after Node.js 20 let it grow to
 * 128 MiB under load, and keep that.
 *
 * Does nothing if the user has set a size. Only commands may call this, because it applies to the whole process.
 */
export function boundYoungGeneration(bytesMax = youngBytesMax): void {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
  if (flags.some((flag) => /semi[-_]space/.test(flag))) return;
  let factor = defaultFactor;
  // V8 reads the limit only at startup; the growth factor is the one flag that it rereads. V8 shrinks the young generation of an
  // idle server, and growing back in small steps would take a second of work.
  const observer = new PerformanceObserver((list) => {
    // After a full collection, V8 may count only one of the two halves.
    if (!list.getEntries().some(isYoung)) return;
    const wanted = Math.max(1, Math.floor(bytesMax / youngBytes()));
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}

function isYoung(collection: PerformanceEntry): boolean {
  const { detail } = collection as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR;
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}

/**
 * Lets the old generation of V8's heap grow to twice the live data.
 *
 * By default V8 lets it grow to three times the live data, and keeps the pages after the collection: 240 MiB instead of 196 after
 * 200,000 inserts. The limit adds no full collections to an import.
 *
 * Does nothing if the user has set the growth. Only commands may call this, because it applies to the whole process.
 */
export function boundOldGeneration(): void {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-');
  if (!flags.includes('heap-growing-percent')) setFlagsFromString('--heap-growing-percent=100');
}
