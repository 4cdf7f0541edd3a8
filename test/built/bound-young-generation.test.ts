import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtFile } from '../support/programs/check-built.mjs';

const module = pathToFileURL(builtFile('build/commands/bound-heap.js')).href;

/** Makes garbage that survives young collections, so that the young generation grows. `grow` returns its largest size. */
const program = `
  import { getHeapSnapshot, getHeapSpaceStatistics } from 'node:v8';
  import { setImmediate } from 'node:timers/promises';
  const grow = async (most = 400) => {
    let largest = 0;
    const rounds = [];
    for (let round = 0; round < most; round++) {
      rounds[round % 8] = Array.from({ length: 5000 }, (_, i) => ({ text: String(i) }));
      await setImmediate();
      const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
      largest = Math.max(largest, space.space_size / 1048576);
    }
    return largest;
  };
`;

/** Prints the largest size of the young generation. */
const printLargest = 'console.log(await grow());';

/** Prints the largest size after V8 has shrunk it, which a snapshot of the heap makes it do at once, and a little work. */
const printGrownAgain = 'await grow(); getHeapSnapshot().destroy(); console.log(await grow(100));';

/** Returns the largest size of the young generation in a process of its own. Unit: MiB. */
function largestOf(start: string, flags: readonly string[] = [], print = printLargest): number {
  const args = [...flags, '--input-type=module', '--eval', `${start}${program}${print}`];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

/** Returns the start of a process with a bound. Unit: MiB. */
const boundAt = (size: number) =>
  `import { boundYoungGeneration } from '${module}'; boundYoungGeneration(${size} * 1048576);`;

describe('boundYoungGeneration', () => {
  it('keeps the young generation near the size', () => {
    expect(largestOf('')).toBeGreaterThanOrEqual(16);
    expect(largestOf(boundAt(2))).toBeLessThanOrEqual(8);
  });

  it('lets it grow again at once after V8 has shrunk it, and not beyond the size', () => {
    const size = largestOf(boundAt(32), [], printGrownAgain);
    expect(size).toBeGreaterThan(16);
    expect(size).toBeLessThanOrEqual(33);
  });

  it('leaves a size alone that the user has set', () => {
    expect(largestOf(boundAt(2), ['--min-semi-space-size=16', '--max-semi-space-size=16'])).toBeGreaterThanOrEqual(16);
  });
});
