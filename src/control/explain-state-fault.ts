import { faultOf, type StateFaultReason } from '../state/state-fault.js';
import { answerJson, type ControlRow } from './control-row.js';
import { FieldFault } from './read-fields.js';

const statusOf: Readonly<Record<StateFaultReason, number>> = {
  invalid: 400,
  missing: 404,
  'not-done': 503,
  unknown: 500,
};

/** Returns a handler that answers a refusal with its reason. */
export function explaining(run: ControlRow['run']): ControlRow['run'] {
  return async (request) => {
    try {
      return await run(request);
    } catch (error) {
      if (error instanceof FieldFault) return answerJson(400, { error: error.message });
      const fault = faultOf(error);
      if (fault) return answerJson(statusOf[fault.reason], { error: fault.message });
      throw error;
    }
  };
}
