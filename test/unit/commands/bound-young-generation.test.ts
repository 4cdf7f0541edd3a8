import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const program = new URL('../../../dist/commands/bound-young-generation.js', import.meta.url).href;

/** Makes garbage that survives young collections, so that the young generation grows. Prints its largest size. */
const grow = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { setImmediate } from 'node:timers/promises';
  let largest = 0;
  const rounds = [];
  for (let round = 0; round < 400; round++) {
    rounds[round % 8] = Array.from({ length: 5000 }, (_, i) => ({ text: String(i) }));
    await setImmediate();
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    largest = Math.max(largest, space.space_size);
  }
  console.log(largest / 1048576);
`;

/** Returns the largest size of the young generation in a process of its own. Unit: MiB. */
function largestOf(start: string, flags: readonly string[] = []): number {
  const args = [...flags, '--input-type=module', '--eval', `${start}${grow}`];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

const bound = `import { boundYoungGeneration } from '${program}'; boundYoungGeneration(2 * 1048576);`;

describe('boundYoungGeneration', () => {
  it('keeps the young generation near the size', () => {
    expect(largestOf('')).toBeGreaterThanOrEqual(16);
    expect(largestOf(bound)).toBeLessThanOrEqual(8);
  });

  it('leaves a size alone that the user has set', () => {
    expect(largestOf(bound, ['--min-semi-space-size=16', '--max-semi-space-size=16'])).toBeGreaterThanOrEqual(16);
  });
});
