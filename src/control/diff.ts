import { controlRoot } from '../http/reserved-endpoints.js';
import type { State } from '../state/state.js';
import { answerJson, type ControlRow } from './control-row.js';
import { explaining } from './explain-state-fault.js';
import { FieldFault } from './read-fields.js';

const names = ['from', 'to', 'account', 'table', 'limit'] as const;

/** Returns the row that compares two states. */
export function diffRow(state: State): ControlRow {
  return {
    method: 'GET',
    path: `${controlRoot}/diff`,
    purpose: 'what differs between two snapshots or accounts; ?from=base&to=&account=&table=&limit=',
    query: { values: names },
    refusesHead: true,
    run: explaining(async ({ query }) => {
      const { from, limit, ...others } = Object.fromEntries(query) as Partial<Record<(typeof names)[number], string>>;
      if (from === undefined) throw new FieldFault('Name the earlier state, a snapshot or an account: ?from=base.');
      const wish = { ...others, from, ...(limit !== undefined && { limit: Number(limit) }) };
      return answerJson(200, await state.diff(wish));
    }),
  };
}
