import type { Explanation } from '../protocol/explanation.js';
import { type RequestRecord, recordOf } from './observe.js';
import type { Outcome } from './outcome.js';
import type { Service } from './service.js';

/** Explains requests to their developers. The journal implements it. */
export interface RequestExplainer {
  explain(record: RequestRecord): Explanation;
  /** Returns how the cloud finds the entities of a request, such as `table-scan`; undefined if it is not about entities. */
  classOf(record: RequestRecord): string | undefined;
}

/** Longest explanation in a header. Unit: characters. (Our choice: all headers of an answer stay small.) */
const headerUnitsMax = 1024;

/**
 * Adds the explanation to the outcome of a rejected request. If the request opts in, headers of the answer give the reason of
 * the rejection, or the class of the query. An error in an explanation is reported, and the outcome stays as it is.
 */
export function explain({ explainer, report }: Service, outcome: Outcome): Outcome {
  if (!explainer) return outcome;
  const { received } = outcome.reached;
  const asks = received.headers['x-tabularium-explain'] === '1';
  const isRejected = outcome.rejection !== undefined || outcome.reached.done?.answer.kind === 'failed-transaction';
  if (!isRejected && !asks) return outcome;
  try {
    const record = recordOf(outcome);
    const explanation = isRejected ? explainer.explain(record) : undefined;
    if (asks) {
      const told = explanation ? whyHeader(explanation) : classHeader(record, explainer.classOf(record));
      outcome.head.headers.push(...told, 'x-tabularium-request', received.id);
    }
    return explanation ? { ...outcome, explanation } : outcome;
  } catch (error) {
    report(error, 'a request could not be explained', received.id);
    return outcome;
  }
}

function classHeader({ entitiesRead, entitiesReturned }: RequestRecord, name: string | undefined): readonly string[] {
  return name === undefined
    ? []
    : ['x-tabularium-class', `${name}; read=${entitiesRead}; returned=${entitiesReturned}`];
}

/** Returns the header of an explanation: ASCII on one line. */
function whyHeader({ cause, text, advice }: Explanation): readonly string[] {
  const line = [`${cause}; ${text}`, ...(advice === undefined ? [] : [advice])].join(' ');
  return ['x-tabularium-why', line.replace(/[^\x20-\x7e]/g, '?').slice(0, headerUnitsMax)];
}
