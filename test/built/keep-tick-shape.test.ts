import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { builtFile } from '../support/programs/check-built.mjs';

const program = pathToFileURL(builtFile('build/commands/keep-tick-shape.js')).href;

/** Prints which of the first two objects of `process.nextTick` are left after a full collection. */
const collect = `
  import { createHook } from 'node:async_hooks';
  import { setImmediate } from 'node:timers/promises';
  import { keepTickShape } from '${program}';
  const ticks = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') ticks.push(new WeakRef(resource));
    },
  }).enable();
  keepTickShape();
  process.nextTick(() => hook.disable());
  await setImmediate();
  gc();
  console.log(JSON.stringify(ticks.slice(0, 2).map((tick) => tick.deref() !== undefined)));
`;

it('keeps one object of process.nextTick, and with it the shape of all, through a full collection', () => {
  const args = ['--expose-gc', '--input-type=module', '--eval', collect];
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual([true, false]);
});
