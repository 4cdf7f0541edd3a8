import { expect, it } from 'vitest';
import { walkRange } from '../../../../../src/store/level/engine/compact-range.js';
import { EngineGate } from '../../../../../src/store/level/engine/engine-gate.js';
import { makeMemoryEngine } from '../../../../../src/store/level/engine/make-engine.js';

it('a walk over a long range yields to other work between its steps', async () => {
  const engine = await makeMemoryEngine();
  await engine.open();
  const keys = Array.from({ length: 1201 }, (_, at) => `k${String(at).padStart(4, '0')}`);
  await engine.batch(keys.map((key) => ({ type: 'put' as const, key, value: '' })));
  const order: string[] = [];
  const walked = walkRange(
    { engine, gate: new EngineGate() },
    { gte: 'k', lt: 'l' },
    {
      continues: () => true,
      take: async (step) => {
        order.push(`step of ${step.length}`);
        setImmediate(() => order.push('other work'));
      },
      endSlice: async () => true,
    },
  );
  expect(await walked).toBe(true);
  expect(order).toEqual(['step of 500', 'other work', 'step of 500', 'other work', 'step of 201']);
});
