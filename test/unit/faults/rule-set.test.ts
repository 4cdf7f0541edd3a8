import { expect, it } from 'vitest';
import type { FaultRule } from '../../../src/faults/contract.js';
import { ProcessRules } from '../../../src/faults/process-rules.js';
import { RuleSet } from '../../../src/faults/rule-set.js';

it.each([
  { fault: { kind: 'newer' } },
  { fault: 'serverBusy', when: { newer: 7 } },
  { fault: 'serverBusy', newer: true },
])('A rule of a newer version that shares the database is listed and not applied: %j', async (rule) => {
  const keeper = new ProcessRules();
  const set = new RuleSet(keeper, 'fault', () => {});
  const written = { id: 'new', rule: rule as unknown as FaultRule, seed: 1, lastsMs: undefined };
  await keeper.change(() => ({ removed: [], added: [written] }));
  expect(set.isActive).toBe(false);
  expect(await set.list()).toMatchObject([{ id: 'new', hits: 0 }]);
  await set.add([{ fault: 'serverBusy' }]);
  expect(set.isActive).toBe(true);
});
