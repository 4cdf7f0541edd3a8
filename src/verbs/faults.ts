import type { FaultRule, FaultSummary } from '../faults/contract.js';
import { anyOf, described, flag, list, name, object, optional } from '../schema.js';
import { Done } from './fields.js';
import { RejectedCall, verb } from './verb.js';

const FaultList = object('FaultList', 'Fault rules.', {
  faults: list(
    'The rules, with their effects so far.',
    described<FaultSummary>('FaultSummary', 'A rule, with its effects so far.', 'faults/contract'),
  ),
});

/** Formats a rule for people: `fault-1: ServerBusy, 2 of 3 hits of 5 requests`. */
function faultLine(rule: FaultSummary): string {
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

export const faultList = verb({
  name: 'fault list',
  does: 'List the fault rules with their hits, and those that ended recently.',
  http: 'GET /faults',
  changes: 'nothing',
  example: 'faults',
  takes: {},
  answers: FaultList,
  lists: 'faults',
  run: ({ faults }) => ({ faults: faults.list() }),
  lines: ({ faults }) => faults.map(faultLine),
});

const rule = described<FaultRule>(
  'FaultRule',
  'Which requests get which fault, and when the rule ends.',
  'faults/contract',
);

export const faultCreate = verb({
  name: 'fault create',
  does: 'Make requests fail by rules, or by a profile: flaky, cloud.',
  notes: 'A rule without `times` and `for` ends after 60 seconds. One with the id of another replaces it.',
  http: 'POST /faults',
  changes: 'behavior',
  agent: {
    when: 'Call it to test retries, such as with table=Jobs op=insert fault=503 times=2. A rule without times and for ends after 60 seconds.',
  },
  example: 'fault create table=Jobs op=insert fault=503 times=2',
  takes: {
    rules: anyOf(
      'Rules in words, or a profile; in JSON also a rule or a list of rules.',
      [name('Rules in words.'), rule, list('Rules.', anyOf('A rule.', [name('Rules in words.'), rule]))],
      {
        value: 'RULE',
        joins: true,
        example: 'flaky',
        wanted: 'rules in words, a rule or a list of rules, such as "flaky"',
      },
    ),
    replace: optional(flag('Remove all other rules.')),
  },
  words: ['rules'],
  answers: FaultList,
  lists: 'faults',
  run({ faults }, { rules, replace = false }) {
    const values = [rules].flat().map((one) => (typeof one === 'string' ? { text: one } : one));
    return { faults: replace ? faults.replace(values) : faults.add(values) };
  },
  lines: ({ faults }) => faults.map(faultLine),
});

export const faultDelete = verb({
  name: 'fault delete',
  does: 'Delete a fault rule. Requests that wait for its fault continue.',
  http: 'DELETE /faults/{id}',
  changes: 'behavior',
  example: 'fault delete fault-1',
  takes: { id: name('ID of the rule.', { value: 'ID', example: 'fault-1' }) },
  words: ['id'],
  answers: Done,
  run({ faults }, { id }) {
    if (!faults.remove(id)) throw new RejectedCall(404, `There is no fault rule ${id}.`);
    return {};
  },
  lines: () => ['deleted'],
});

export const faultClear = verb({
  name: 'fault clear',
  does: 'Delete all fault rules. Requests that wait for a fault continue.',
  http: 'POST /faults/clear',
  changes: 'behavior',
  agent: { when: 'Call it after a test with faults.', repeats: true },
  example: 'fault clear',
  takes: {},
  answers: Done,
  run({ faults }) {
    faults.clear();
    return {};
  },
  lines: () => ['cleared'],
});
