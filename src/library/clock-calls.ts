import type { ClockState } from '../clock/test-clock.js';
import type { CallControl } from '../control/call-row.js';
import type { ClockCalls } from './behavior.js';

/** Returns the calls of an instance that change its clock. The rows of its control endpoints answer them. */
export function createClockCalls(call: CallControl): ClockCalls {
  const path = '/clock';
  const change = async (body: object) => (await call({ method: 'POST', path, body })) as ClockState;
  return {
    state: async () => (await call({ method: 'GET', path })) as ClockState,
    freeze: (at) => change({ freeze: at instanceof Date ? at.toISOString() : (at ?? true) }),
    advance: (by) => change({ advance: by }),
    resume: () => change({ resume: true }),
  };
}
