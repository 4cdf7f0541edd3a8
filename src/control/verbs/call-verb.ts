import { ClockFault } from '../../clock/test-clock.js';
import { describeError } from '../../dialects/storage/describe-error.js';
import { InvalidRule } from '../../faults/rules/invalid-rule.js';
import { PlaceLost, UnknownPlace } from '../../insight/journal/changes/select-changes.js';
import { TooManyFollowers } from '../../insight/journal/follow-ring.js';
import { TableError } from '../../protocol/errors.js';
import { faultOf, type StateFaultReason } from '../../state/state-fault.js';
import { checkInput } from '../../verbs/check-input.js';
import { type AnyVerb, RejectedCall, type VerbServer } from '../../verbs/verb.js';
import { wholeObject } from './answer-object.js';

/**
 * Calls a verb of a server in this process, bypassing HTTP and the guard. Returns its answer, or the stream of its lines or file.
 * Errors: RejectedCall, in words for the caller.
 */
export type CallVerb = (verb: AnyVerb, fields: object) => Promise<unknown>;

/** Creates the function that calls the verbs of a server. */
export function createCallVerb(server: VerbServer): CallVerb {
  return async (verb, fields) => {
    try {
      const input = checkInput(verb, fields);
      if (verb.sends === 'lines') return (await verb.run(server, input, {})).setEncoding('utf8');
      if (verb.sends === 'file') return (await verb.run(server, input, {})).body;
      return await wholeObject((await verb.run(server, input, {})) as object);
    } catch (error) {
      throw rejectionOf(error) ?? error;
    }
  };
}

const statusOf: Readonly<Record<StateFaultReason, number>> = {
  invalid: 400,
  missing: 404,
  'not-done': 503,
  unknown: 500,
};

/** Converts an expected error of the lower modules to a rejection; returns undefined for an unexpected one. */
export function rejectionOf(error: unknown): RejectedCall | undefined {
  if (error instanceof RejectedCall) return error;
  if (error instanceof InvalidRule || error instanceof ClockFault || error instanceof UnknownPlace)
    return new RejectedCall(400, error.message);
  if (error instanceof TooManyFollowers) return new RejectedCall(503, error.message);
  if (error instanceof PlaceLost) return new RejectedCall(410, error.message, { oldest: error.oldest });
  if (error instanceof TableError) {
    const { status, message } = describeError(error);
    return new RejectedCall(status, message);
  }
  const fault = faultOf(error);
  return fault && new RejectedCall(statusOf[fault.reason], fault.message);
}
