import type { CallControl } from '../control/call-row.js';
import type { TableChanges, WrittenChange } from '../insight/changes/written-change.js';
import type { Finding } from '../insight/finding.js';
import type { LogEntry } from '../insight/journal/log-entry.js';
import type { ControlCalls } from './tabularium.js';

/** Returns the calls of an instance that do what its control endpoints do. The same rows answer both. */
export function createControlCalls(call: CallControl): ControlCalls {
  return {
    async requests(selection = {}) {
      const answer = await call({ method: 'GET', path: '/requests', query: queryOf(selection) });
      return (answer as { readonly requests: readonly LogEntry[] }).requests;
    },
    async changes(selection = {}) {
      const [, ...changes] = (await call({ method: 'GET', path: '/changes', query: queryOf(selection) })) as unknown[];
      return changes as readonly WrittenChange[];
    },
    async changesByTable(selection = {}) {
      const query = queryOf({ ...selection, group: 'table' });
      const [, ...tables] = (await call({ method: 'GET', path: '/changes', query })) as unknown[];
      return tables as readonly TableChanges[];
    },
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

function queryOf(selection: object): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(selection)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}
