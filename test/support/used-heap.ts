import { setImmediate as otherWork } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Returns what is in use on the heap after garbage was collected. Unit: bytes. */
export async function usedHeapBytes(): Promise<number> {
  for (let time = 0; time < 4; time++) {
    // What closes in the background lets go of its memory only then.
    for (let round = 0; round < 20; round++) await otherWork();
    collect();
  }
  return getHeapStatistics().used_heap_size;
}
