import { describe, expect, it } from 'vitest';
import { readRule } from '../../../src/faults/rules/read-rule.js';
import { InvalidRule } from '../../../src/faults/rules/read-value.js';

/** Returns lists in lists, more of them than the stack has room for. */
function nested(depth: number): unknown {
  return JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}

describe('A fault rule', () => {
  it('has the defaults of its kind', () => {
    expect(readRule({ fault: 'operationTimedOut' }).rule).toEqual({
      fault: { kind: 'operationTimedOut', applied: false },
    });
  });

  it.each([
    [{ fault: 'serverBusy' }, 60_000],
    [{ fault: 'serverBusy', for: '5m' }, 300_000],
    [{ fault: 'serverBusy', times: 3 }, undefined],
    [{ fault: 'serverBusy', times: 3, for: '500ms' }, 500],
  ])('%j lasts for %s milliseconds', (rule, ms) => {
    expect(readRule(rule).lastsMs).toBe(ms);
  });

  it.each<[unknown, string]>([
    [undefined, 'The rule must be an object with any of: id, when, fault, probability, seed, after, times, for.'],
    [[], 'The rule must be an object'],
    [{}, 'The rule needs a fault.'],
    [{ fault: 'serverBusi' }, `fault cannot be "serverBusi". Did you mean 'serverBusy'?`],
    [{ fault: { kind: 'nothing' } }, 'fault.kind cannot be "nothing". It can be: serverBusy, operationTimedOut'],
    [{ fault: { aplied: true } }, 'fault.kind cannot be undefined.'],
    [{ fault: { kind: { toString: 1 } } }, 'fault.kind cannot be an object.'],
    [{ fault: { kind: 'connection', cut: { toString: 1 } } }, 'fault.cut cannot be an object.'],
    [{ fault: { kind: 'operationTimedOut', aplied: true } }, `fault has no field 'aplied'. Did you mean 'applied'?`],
    [{ fault: { kind: 'internalError', applied: true } }, `fault has no field 'applied'. It has no parameters.`],
    [{ fault: { kind: 'operationTimedOut', applied: 1 } }, 'fault.applied must be true or false.'],
    [{ fault: { kind: 'latency' } }, 'fault needs fixed, or min and max, or median and sigma'],
    [{ fault: { kind: 'latency', fixed: 1, sigma: 1 } }, 'fault needs fixed, or min and max, or median and sigma'],
    [{ fault: { kind: 'latency', min: 2, max: 1 } }, 'fault.min must not exceed fault.max.'],
    [{ fault: { kind: 'latency', fixed: -1 } }, 'fault.fixed must be a number from 0 to 600000.'],
    [{ fault: 'serverBusy', tims: 1 }, `The rule has no field 'tims'. Did you mean 'times'?`],
    [{ fault: 'serverBusy', times: 0 }, 'times must be a whole number of at least 1.'],
    [{ fault: 'serverBusy', probability: 2 }, 'probability must be a number from 0 to 1.'],
    [{ fault: 'serverBusy', seed: -1 }, 'seed must be a whole number from 0 to 4294967295.'],
    [{ fault: 'serverBusy', for: '60' }, 'for must be a duration, such as 500ms, 60s, 5m or 1h.'],
    [{ fault: 'serverBusy', for: '0s' }, 'for must be a duration'],
    [{ fault: 'serverBusy', id: 'a/b' }, 'id must have 1 to 64 letters'],
    [{ fault: 'serverBusy', when: { tabel: 'x' } }, `when has no field 'tabel'. Did you mean 'table'?`],
    [{ fault: 'serverBusy', when: { table: '' } }, 'when.table must be a non-empty string.'],
    [
      { fault: 'serverBusy', when: { operation: 'inserts' } },
      `when.operation cannot be 'inserts'. Did you mean 'insert'?`,
    ],
    [{ fault: 'serverBusy', when: { operation: [] } }, 'when.operation must name an operation.'],
    [{ fault: 'serverBusy', when: { header: {} } }, 'when.header needs a name.'],
    [{ fault: 'serverBusy', when: { partitionKey: 'a', partitionKeyPrefix: 'a' } }, 'Use only one.'],
  ])('%j is refused', (rule, message) => {
    expect(() => readRule(rule)).toThrow(InvalidRule);
    expect(() => readRule(rule)).toThrow(message);
  });

  it.each([
    ['a kind', { kind: nested(31_000) }, 'fault.kind cannot be a list.'],
    ['a parameter', { kind: 'latency', fixed: 1, when: nested(31_000) }, 'fault.when cannot be a list.'],
  ])('with lists nested too deeply for %s is rejected', (_, fault, message) => {
    expect(() => readRule({ fault })).toThrow(message);
  });
});
