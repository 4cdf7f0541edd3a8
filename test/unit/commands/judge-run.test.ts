import { expect, it } from 'vitest';
import { judgeRun } from '../../../src/commands/coach/judge-run.js';
import { readRunPlan } from '../../../src/commands/coach/run-plan.js';
import { defaultConfig } from '../../../src/config.js';
import { Coach } from '../../../src/insight/coach.js';
import { nameOf } from '../../../src/insight/rules/rule.js';
import { thresholds } from '../../../src/insight/rules/thresholds.js';
import { observedRequest } from '../../support/clients/observed-request.js';

it('A test run that creates and deletes its tables all the time does not break a budget of findings', async () => {
  const coach = new Coach();
  coach.habits.deleteTable(observedRequest());
  coach.habits.createTable(observedRequest({ at: 1 }));
  for (let time = 0; time < thresholds.refusedCreations; time++) {
    coach.habits.refuseCreation(observedRequest({ status: 409, table: '' }));
  }
  expect(coach.findings(0).map((finding) => `${nameOf(finding)} ${finding.severity}`)).toEqual([
    'table-churn/create-again warn',
    'table-churn/name-reuse warn',
  ]);

  const numbers = { usage: { requests: 22, read: 0, returned: 0 }, skippedRequests: 0, forgottenShapes: 0 };
  const server = { callVerb: async () => ({ ...numbers, findings: coach.findings(0) }) };
  const plan = readRunPlan({ budget: 'warn=0' }, defaultConfig);
  if (!plan) throw new Error('there is no plan');
  const printed: string[] = [];
  expect(await judgeRun(plan, server, (line) => printed.push(line), undefined)).toBe(false);
  expect(printed).toEqual([]);
});
