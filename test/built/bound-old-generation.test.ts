import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { builtFile } from '../support/programs/check-built.mjs';

const module = pathToFileURL(builtFile('build/commands/bound-heap.js')).href;

/** Returns what a program prints after the bound was set, in a process of its own. */
function outputOf(program: string, flags: readonly string[]): string {
  const start = `
    import { setImmediate } from 'node:timers/promises';
    import { boundOldGeneration } from '${module}';
    boundOldGeneration();
  `;
  const args = [...flags, '--input-type=module', '--eval', `${start}${program}`];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}

/** Returns how many times as large as what a collection leaves the old generation may become. */
function growthWith(flags: readonly string[]): number {
  const program = `
    globalThis.kept = Array.from({ length: 800_000 }, (_, i) => ({ i }));
    for (let round = 0; round < 3; round++) { gc(); await setImmediate(); }
  `;
  const output = outputOf(program, ['--expose-gc', '--trace-gc-verbose', ...flags]);
  const [used, limit] =
    /.*\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+) KB/s.exec(output)?.slice(1) ?? [];
  expect(Number(used)).toBeGreaterThan(20_000);
  return Number(limit) / Number(used);
}

it('lets the old generation grow to about twice what a collection leaves', () => {
  expect(growthWith([])).toBeLessThan(3);
});

it('leaves a growth alone that the user has set', () => {
  expect(growthWith(['--heap-growing-percent=900'])).toBeGreaterThan(5);
});
