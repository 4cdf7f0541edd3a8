import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MemoryUse } from '../store.js';
import { WritesObstructed } from '../store-unavailable.js';

/** The share of the heap in use above which a collection measures the data in it. (Our choice.) */
const doubtShare = 0.75;

/** The share of the heap for data. The rest is for requests, and for V8 to work. (Our choice.) */
const fullShare = 0.7;

/** The time between two collections of a full heap, as a multiple of the duration of the first one. (Our choice.) */
const restFactor = 10;

/** The size of a semi-space of V8's young generation, of which there are three, without a flag. Unit: MiB. */
const semiSpaceMib = 16;

/** The heap of the process. Tests replace it. */
export interface Heap {
  /** The size of the old generation at which the process ends. Unit: bytes. */
  readonly maxBytes: number;
  /** Returns the size in use, including garbage. Unit: bytes. */
  used(): number;
  collect(): void;
  /** Returns a monotonic time. Unit: milliseconds. */
  now(): number;
}

/**
 * Rejects writes before data in memory fills the heap, which would end the process without a message.
 *
 * Only a collection tells data from garbage, so one is forced when the heap looks full. It takes about half a second per GiB, and is
 * rare: one for each further twentieth of the heap, or a tenth of the time while the heap is full.
 */
export class HeapBound {
  readonly #heap: Heap;
  readonly #onFull: (error: WritesObstructed) => void;
  /** A collection is due above this size in use. */
  #doubtBytes: number;
  #full: WritesObstructed | undefined;
  /** A full heap is not collected before this time. */
  #restsUntil = 0;

  constructor(onFull: (error: WritesObstructed) => void, heap: Heap = heapOfProcess()) {
    this.#onFull = onFull;
    this.#heap = heap;
    this.#doubtBytes = doubtShare * heap.maxBytes;
  }

  use(): MemoryUse {
    return { usedBytes: this.#heap.used(), maxBytes: this.#heap.maxBytes, isFull: this.#full !== undefined };
  }

  /** Checks that there is room for a write. May force a collection. Errors: WritesObstructed. */
  check(): void {
    const heap = this.#heap;
    const isDue = this.#full ? heap.now() >= this.#restsUntil : heap.used() > this.#doubtBytes;
    if (isDue) this.#measure();
    if (this.#full) throw this.#full;
  }

  #measure(): void {
    const heap = this.#heap;
    const { maxBytes } = heap;
    const started = heap.now();
    heap.collect();
    const ended = heap.now();
    this.#restsUntil = ended + Math.max(1000, restFactor * (ended - started));
    const data = heap.used();
    this.#doubtBytes = Math.max(doubtShare * maxBytes, data + 0.05 * maxBytes);
    const wasFull = this.#full !== undefined;
    this.#full =
      data > fullShare * maxBytes ? new WritesObstructed('memory-full', fullMemory(data, maxBytes)) : undefined;
    if (this.#full && !wasFull) this.#onFull(this.#full);
  }
}

function fullMemory(data: number, max: number): string {
  const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);
  return (
    `The memory of this server is full: ${mib(data)} of ${mib(max)} MiB are in use. It rejects writes until entities or tables are deleted, and the snapshots and branches that share them. ` +
    'Keep the data in a folder with --location, or give Node.js more memory with NODE_OPTIONS=--max-old-space-size=8192 (MiB).'
  );
}

function heapOfProcess(): Heap {
  let collect: (() => void) | undefined;
  return {
    maxBytes: oldBytesMax(),
    used: () => getHeapStatistics().used_heap_size,
    collect() {
      collect ??= findCollector();
      collect();
    },
    now: () => performance.now(),
  };
}

/** Returns the size of the old generation at which V8 ends the process: its limit includes the young one. Unit: bytes. */
function oldBytesMax(): number {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-');
  const flag = (name: string) => Number(flags.match(new RegExp(`--${name}[= ](\\d+)`))?.[1] ?? 0);
  const youngMib = 3 * (flag('max-semi-space-size') || semiSpaceMib);
  return getHeapStatistics().heap_size_limit - youngMib * 1024 * 1024;
}

/** Returns V8's function for a full collection, which only a new context has, and only with this flag. */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
}
