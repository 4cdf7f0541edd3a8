import type { EntityText } from '../../../src/entity/stored/entity.js';
import { compileTextTest } from '../../../src/query/filter/evaluate-filter.js';
import type { QueryPlan } from '../../../src/query/plan/plan.js';

/** Returns the test that an engine makes of the filter of a plan. */
export function testOf({ filter }: QueryPlan): (row: EntityText) => boolean {
  return filter ? compileTextTest(filter) : () => true;
}
