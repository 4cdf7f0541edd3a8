import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const module = new URL('../../../build/commands/allocate-young.js', import.meta.url).href;

/** Keeps the lists of a round until the next one, as an import keeps rows, and then prints whether a new list is young. */
const program = `
  import { setImmediate } from 'node:timers/promises';
  import { allocateYoung } from '${module}';
  allocateYoung();
  const make = (i) => { const list = []; list.push({ i }); return list; };
  for (let round = 0, kept = []; round < 8; round++, kept = []) {
    for (let i = 0; i < 100_000; i++) kept.push(make(i));
    await setImmediate();
  }
  console.log(%InYoungGeneration(make(0)));
`;

it('allocates objects in the young generation although those before them survived', () => {
  const args = ['--allow-natives-syntax', '--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('true');
});
