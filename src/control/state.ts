import { controlRoot } from '../http/reserved-endpoints.js';
import type { State } from '../state/state.js';
import { StateFault, type StateFaultReason } from '../state/state-fault.js';
import { answerJson, type ControlRow } from './control-row.js';
import { FieldFault, readFields } from './read-fields.js';

const statusOf: Readonly<Record<StateFaultReason, number>> = { invalid: 400, missing: 404, 'not-supported': 501 };

/** Returns the rows that change the state of the data as a whole. */
export function stateRows(state: State): readonly ControlRow[] {
  return [
    {
      method: 'POST',
      path: `${controlRoot}/reset`,
      purpose: 'empties all accounts, or {"account","table","tablePrefix","partition"}',
      takes: 'json',
      run: explaining(async ({ body }) => {
        const target = readFields(body, {
          account: 'string',
          table: 'string',
          tablePrefix: 'string',
          partition: 'string',
        });
        return answerJson(200, await state.reset(target));
      }),
    },
  ];
}

/** Answers a refusal with its reason. */
function explaining(run: ControlRow['run']): ControlRow['run'] {
  return async (request) => {
    try {
      return await run(request);
    } catch (error) {
      if (error instanceof FieldFault) return answerJson(400, { error: error.message });
      if (error instanceof StateFault) return answerJson(statusOf[error.reason], { error: error.message });
      throw error;
    }
  };
}
