import type { CallControl } from '../control/call-row.js';
import type { FaultSummary } from '../faults/contract.js';
import type { FaultCalls } from './behavior.js';

/** Returns the calls of an instance that make requests fail. The rows of its control endpoints answer them. */
export function createFaultCalls(call: CallControl): FaultCalls {
  const path = '/faults';
  const faultsOf = (answer: unknown) => (answer as { readonly faults: readonly FaultSummary[] }).faults;
  return {
    async add(rule) {
      const [added] = faultsOf(await call({ method: 'POST', path, body: rule }));
      if (!added) throw new Error('one rule was added');
      return added;
    },
    replace: async (rules) => faultsOf(await call({ method: 'PUT', path, body: rules })),
    list: async () => faultsOf(await call({ method: 'GET', path })),
    async clear(id) {
      await call({ method: 'DELETE', path: id === undefined ? path : `${path}/${id}` });
    },
  };
}
