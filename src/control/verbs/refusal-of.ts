import { ClockFault } from '../../clock/test-clock.js';
import { describeError } from '../../dialects/storage/describe-error.js';
import { InvalidRule } from '../../faults/rules/read-value.js';
import { PlaceLost, UnknownPlace } from '../../insight/changes/select-changes.js';
import { TooManyFollowers } from '../../insight/journal/follow-ring.js';
import { TableError } from '../../protocol/errors.js';
import { faultOf, type StateFaultReason } from '../../state/state-fault.js';
import { Refusal } from '../../verbs/verb.js';

const statusOf: Readonly<Record<StateFaultReason, number>> = {
  invalid: 400,
  missing: 404,
  'not-done': 503,
  unknown: 500,
};

/** Returns an error of the modules below as the refusal of a call; undefined for one that nobody expected. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof InvalidRule || error instanceof ClockFault || error instanceof UnknownPlace)
    return new Refusal(400, error.message);
  if (error instanceof TooManyFollowers) return new Refusal(503, error.message);
  if (error instanceof PlaceLost) return new Refusal(410, error.message, { oldest: error.oldest });
  if (error instanceof TableError) {
    const { status, message } = describeError(error);
    return new Refusal(status, message);
  }
  const fault = faultOf(error);
  return fault && new Refusal(statusOf[fault.reason], fault.message);
}
