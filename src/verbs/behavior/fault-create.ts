import type { FaultRule } from '../../faults/contract.js';
import { anyOf, described, flag, list, name, optional } from '../../schema.js';
import { verb } from '../verb.js';
import { FaultList, faultLine } from './fault-line.js';

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
