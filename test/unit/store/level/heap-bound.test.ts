import { describe, expect, it } from 'vitest';
import { type Heap, HeapBound } from '../../../../src/store/level/heap-bound.js';
import type { WritesObstructed } from '../../../../src/store/store-unavailable.js';

const mib = 1024 * 1024;

/** A heap of 100 MiB with data and garbage, whose collections take half a second. */
class TestHeap implements Heap {
  readonly maxBytes = 100 * mib;
  data = 0;
  garbage = 0;
  collections = 0;
  time = 0;
  readonly reported: WritesObstructed[] = [];
  readonly bound = new HeapBound((error) => this.reported.push(error), this);

  used(): number {
    return (this.data + this.garbage) * mib;
  }

  collect(): void {
    this.collections++;
    this.garbage = 0;
    this.time += 500;
  }

  now(): number {
    return this.time;
  }

  /** Returns whether a write is let in. */
  admits(): boolean {
    try {
      this.bound.check();
      return true;
    } catch (error) {
      expect(error).toMatchObject({ obstacle: 'memory-full', outcome: 'not-done' });
      return false;
    }
  }
}

describe('The bound of data in memory', () => {
  it('collects nothing while the heap is three quarters full or less', () => {
    const heap = new TestHeap();
    heap.data = 75;
    expect([heap.admits(), heap.collections]).toEqual([true, 0]);
  });

  it('takes garbage for no data, and collects again when a twentieth of the heap is used further', () => {
    const heap = new TestHeap();
    Object.assign(heap, { data: 69, garbage: 20 });
    expect([heap.admits(), heap.collections]).toEqual([true, 1]);
    heap.garbage = 6;
    expect([heap.admits(), heap.collections]).toEqual([true, 1]);
    heap.garbage = 7;
    expect([heap.admits(), heap.collections]).toEqual([true, 2]);
  });

  it('rejects writes when data has seven tenths of the heap, and says so once, with the sizes and with advice', () => {
    const heap = new TestHeap();
    heap.data = 76;
    expect([heap.admits(), heap.admits(), heap.collections]).toEqual([false, false, 1]);
    expect(heap.reported.map(({ message }) => message)).toEqual([
      'The memory of this server is full: 76 of 100 MiB are in use. It rejects writes until entities or tables are deleted, and the snapshots and branches that share them. Keep the data in a folder with --location, or give Node.js more memory with NODE_OPTIONS=--max-old-space-size=8192 (MiB).',
    ]);
    expect(heap.bound.use()).toEqual({ usedBytes: 76 * mib, maxBytes: 100 * mib, isFull: true });
  });

  it('looks again after ten times as long as a collection takes, and admits writes when data was deleted', () => {
    const heap = new TestHeap();
    heap.data = 80;
    heap.admits();
    Object.assign(heap, { data: 60, garbage: 20 });
    heap.time += 4999;
    expect([heap.admits(), heap.collections]).toEqual([false, 1]);
    heap.time += 1;
    expect([heap.admits(), heap.collections, heap.reported.length]).toEqual([true, 2, 1]);
    expect(heap.bound.use().isFull).toBe(false);
  });

  it('does not collect the heap of this process for a write while there is room', () => {
    const bound = new HeapBound((error) => expect.unreachable(error.message));
    bound.check();
    expect(bound.use()).toMatchObject({ isFull: false });
  });
});
