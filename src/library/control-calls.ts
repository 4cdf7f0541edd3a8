import type { CallControl } from '../control/call-row.js';
import type { Finding } from '../insight/finding.js';
import type { ControlCalls } from './tabularium.js';

/** Returns the calls of an instance that do what its control endpoints do. The same rows answer both. */
export function createControlCalls(call: CallControl): ControlCalls {
  return {
    async coach({ ended = false } = {}) {
      const query = new URLSearchParams(ended ? 'ended' : '');
      const answer = await call({ method: 'GET', path: '/coach', query });
      return (answer as { readonly findings: readonly Finding[] }).findings;
    },
    async clearCoach() {
      await call({ method: 'POST', path: '/coach/clear', body: {} });
    },
  };
}
