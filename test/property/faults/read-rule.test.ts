import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRule } from '../../../src/faults/rules/invalid-rule.js';
import { readRule } from '../../../src/faults/rules/read-rule.js';
import { readRuleTexts } from '../../../src/faults/rules/read-rule-text.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Returns what a reader returns, or the InvalidRule that it throws. Any other error fails the test. */
function readOr(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidRule) return error;
    throw error;
  }
}

const words = ['table', 'op', 'fault', 'times', 'for', 'header', 'rowKey', 'applied', 'fault.account', 'seed', 'flaky'];
const values = [
  'Jobs',
  '503',
  '2',
  '60s',
  'true',
  '""',
  '"a b"',
  'x:y',
  'throttle',
  { kind: 'page', ends: 'empty' },
  'latency',
  '-1',
  '1e9',
];
const ruleText = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom('=', ' ', '; ', '=='), fc.constantFrom(...values)), {
    maxLength: 6,
  })
  .map((parts) => parts.map((part) => part.join('')).join(' '));

const ruleValue = fc.record(
  {
    id: fc.constantFrom('a', 'a b', ''),
    when: fc.oneof(fc.jsonValue(), fc.record({ table: fc.string(), operation: fc.constantFrom('insert', 'none') })),
    fault: fc.oneof(fc.jsonValue(), fc.constantFrom('ServerBusy', 'throttle', { kind: 'connection', cut: 'na' })),
    probability: fc.oneof(fc.double(), fc.integer()),
    times: fc.oneof(fc.integer(), fc.double()),
    for: fc.constantFrom('1s', '0s', '', '10000d', '1y'),
  },
  { requiredKeys: [] },
);

describe('A fault rule', () => {
  it('of any value is read or rejected with a reason, and reads the same again', () => {
    fc.assert(
      fc.property(fc.oneof(ruleValue, fc.jsonValue(), fc.anything()), (value) => {
        const read = readOr(() => readRule(value).rule);
        if (read instanceof InvalidRule) expect(read.message).not.toBe('');
        else expect(readRule(read).rule).toEqual(read);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('of any words is read or rejected with a reason', () => {
    fc.assert(
      fc.property(fc.oneof(ruleText, fc.string()), (text) => {
        readOr(() => readRuleTexts(text).map(readRule));
      }),
      { numRuns: runs(1000) },
    );
  });
});
