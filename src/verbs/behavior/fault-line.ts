import type { FaultSummary } from '../../faults/contract.js';
import { described, list, object } from '../../schema.js';

/** The answer of verbs that list fault rules. */
export const FaultList = object('FaultList', 'Fault rules.', {
  faults: list(
    'The rules, with what they have done so far.',
    described<FaultSummary>('FaultSummary', 'A rule, with what it has done so far.', 'faults/contract'),
  ),
});

/** Returns the line about a rule: `fault-1: ServerBusy, 2 of 3 hits of 5 requests`. */
export function faultLine(rule: FaultSummary): string {
  const { id, when, fault, probability, seed, matched, hits, ends, ended, times } = rule;
  const { kind, ...others } = typeof fault === 'string' ? { kind: fault } : fault;
  const { code, ...parameters } = { code: undefined, ...others };
  const parts = [
    `${id}: ${code ?? kind}`,
    ...(Object.keys(parameters).length > 0 ? [JSON.stringify(parameters)] : []),
    ...(when ? [`for ${JSON.stringify(when)}`] : []),
    ...(probability === undefined ? [] : [`probability ${probability}, seed ${seed}`]),
    `${hits}${times === undefined ? '' : ` of ${times}`} hits of ${matched} requests`,
  ];
  const end = ended ? 'ended' : ends === undefined ? undefined : `until ${ends}`;
  return [...parts, ...(end === undefined ? [] : [end])].join(', ');
}
