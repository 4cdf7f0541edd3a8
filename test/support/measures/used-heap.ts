import { setImmediate as otherWork } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// Otherwise a collection also frees the code of functions that were not called lately, which is as much as a small structure takes.
setFlagsFromString('--no-flush-bytecode');
const collect = runInNewContext('gc') as () => void;

/** Returns the heap in use after a garbage collection. Unit: bytes. */
export async function usedHeapBytes(): Promise<number> {
  for (let time = 0; time < 4; time++) {
    // Objects that close in the background free their memory only then.
    for (let round = 0; round < 20; round++) await otherWork();
    collect();
  }
  return getHeapStatistics().used_heap_size;
}
