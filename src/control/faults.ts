import type { FaultSummary } from '../faults/contract.js';
import { InvalidRule } from '../faults/read-value.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerJson, type ControlAnswer, type ControlRow } from './control-row.js';
import { readFields } from './read-fields.js';

/** The fault rules of a server, as the endpoints use them. */
export interface FaultRules {
  add(values: readonly unknown[]): readonly FaultSummary[];
  replace(values: readonly unknown[]): readonly FaultSummary[];
  list(): readonly FaultSummary[];
  remove(id: string): boolean;
  clear(): void;
}

const faults = `${controlRoot}/faults`;

/** Returns the rows of the fault rules. */
export function faultRows(rules: FaultRules): readonly ControlRow[] {
  return [
    {
      method: 'GET',
      path: faults,
      purpose: 'all fault rules, with their hits',
      run: () => answerJson(200, { faults: rules.list() }),
    },
    {
      method: 'POST',
      path: faults,
      purpose: 'adds a fault rule {"when","fault","times","for"}, {"text"} with rules in words, or a list of them',
      takes: 'json',
      run: ({ body }) => answered(() => rules.add(listOf(body))),
    },
    {
      method: 'PUT',
      path: faults,
      purpose: 'replaces all fault rules by a list',
      takes: 'json',
      run: ({ body }) => answered(() => rules.replace(listOf(body))),
    },
    {
      method: 'DELETE',
      path: `${faults}/*`,
      purpose: 'removes the fault rule with this id',
      run({ path }) {
        const id = path.slice(faults.length + 1);
        if (!rules.remove(id)) return answerJson(404, { error: `There is no fault rule ${id}.` });
        return answerJson(200, {});
      },
    },
    {
      method: 'POST',
      path: `${faults}/clear`,
      purpose: 'removes all fault rules',
      takes: 'json',
      run: ({ body }) => {
        readFields(body, {});
        rules.clear();
        return answerJson(200, {});
      },
    },
  ];
}

function listOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

/** Answers with the rules, or with the reason why one cannot be used. */
function answered(use: () => readonly FaultSummary[]): ControlAnswer {
  try {
    return answerJson(200, { faults: use() });
  } catch (error) {
    if (error instanceof InvalidRule) return answerJson(400, { error: error.message });
    throw error;
  }
}
