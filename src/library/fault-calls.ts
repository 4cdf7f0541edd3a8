import type { CallControl } from '../control/call-row.js';
import type { FaultRule, FaultSummary } from '../faults/contract.js';
import type { FaultCalls } from './behavior.js';

/** Returns the calls of an instance that make requests fail. The rows of its control endpoints answer them. */
export function createFaultCalls(call: CallControl): FaultCalls {
  const path = '/faults';
  const faultsOf = (answer: unknown) => (answer as { readonly faults: readonly FaultSummary[] }).faults;
  const bodyOf = <Rules extends object>(rules: Rules | string) => (typeof rules === 'string' ? { text: rules } : rules);
  async function add(rule: FaultRule): Promise<FaultSummary>;
  async function add(text: string): Promise<readonly FaultSummary[]>;
  async function add(rules: FaultRule | string): Promise<FaultSummary | readonly FaultSummary[]> {
    const added = faultsOf(await call({ method: 'POST', path, body: bodyOf(rules) }));
    if (typeof rules === 'string') return added;
    const [one] = added;
    if (!one) throw new Error('one rule was added');
    return one;
  }
  return {
    add,
    replace: async (rules) => faultsOf(await call({ method: 'PUT', path, body: bodyOf(rules) })),
    list: async () => faultsOf(await call({ method: 'GET', path })),
    async delete(id) {
      await call({ method: 'DELETE', path: `${path}/${id}` });
    },
    async clear() {
      await call({ method: 'POST', path: `${path}/clear`, body: {} });
    },
  };
}
