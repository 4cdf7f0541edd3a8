import type { CallControl } from '../control/call-row.js';
import type { ResetReport } from '../state/contract.js';
import type { StateCalls } from './tabularium.js';

/** Returns the calls of an instance that change its data as a whole. The rows of its control endpoints answer them. */
export function createStateCalls(call: CallControl): StateCalls {
  return {
    async reset(target = {}) {
      const body = typeof target === 'string' ? { account: target } : target;
      return (await call({ method: 'POST', path: '/reset', body })) as ResetReport;
    },
  };
}
