import { describe, expect, it } from 'vitest';
import { InvalidRule } from '../../../src/faults/rules/invalid-rule.js';
import { readRule } from '../../../src/faults/rules/read-rule.js';
import { tableErrorCodes } from '../../../src/protocol/error-codes.js';

/** Returns lists in lists, more of them than the stack has room for. */
function nested(depth: number): unknown {
  return JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}

describe('A fault rule', () => {
  it('has the defaults of its kind', () => {
    expect(readRule({ fault: 'throttle' }).rule).toEqual({
      fault: { kind: 'throttle', partition: 2000, account: 20_000, burst: '1s' },
    });
    expect(readRule({ fault: { kind: 'page', ends: 'empty' } }).rule.fault).toEqual({
      kind: 'page',
      ends: 'empty',
      every: 2,
    });
  });

  it.each(tableErrorCodes)('may be an error with the code %s, which a code alone stands for', (code) => {
    const { fault } = readRule({ fault: code }).rule;
    expect(fault).toEqual({ kind: 'error', code, ...(code === 'TooManyRequests' && { retryAfterMs: 100 }) });
  });

  it.each([
    [{ fault: 'ServerBusy' }, 60_000],
    [{ fault: 'ServerBusy', for: '5m' }, 300_000],
    [{ fault: 'ServerBusy', times: 3 }, undefined],
    [{ fault: 'ServerBusy', times: 3, for: '500ms' }, 500],
  ])('%j lasts for %s milliseconds', (rule, ms) => {
    expect(readRule(rule).lastsMs).toBe(ms);
  });

  it.each<[unknown, string]>([
    [undefined, 'The rule must be an object with any of: id, when, fault, probability, seed, after, times, for.'],
    [[], 'The rule must be an object'],
    [{}, 'The rule needs a fault.'],
    [{ fault: 'serverBusi' }, `There is no fault 'serverBusi'. Did you mean 'ServerBusy'?`],
    [
      { fault: { kind: 'nothing' } },
      `There is no fault 'nothing'. Known: error, latency, throttle, connection, page, rivalWrite, ServerBusy and`,
    ],
    [{ fault: { aplied: true } }, 'The rule needs a fault.'],
    [{ fault: { kind: { toString: 1 } } }, 'The rule needs a fault.'],
    [
      { fault: { kind: 'connection', cut: { toString: 1 } } },
      'fault.cut must be one of: p, pc, pa, pn, n, nc, na; got an object.',
    ],
    [
      { fault: { kind: 'error', code: 'OperationTimedOut', aplied: true } },
      `There is no 'aplied'. Did you mean fault.applied?`,
    ],
    [
      { fault: { kind: 'error', code: 'OperationTimedOut', applied: 1 } },
      'fault.applied must be true or false; got 1.',
    ],
    [{ fault: { kind: 'error' } }, 'fault.code is missing, such as "ServerBusy".'],
    [{ fault: { kind: 'error', code: 'Busy' } }, "fault.code must be the code of an error; got 'Busy'."],
    [{ fault: { kind: 'page' } }, 'fault.ends is missing, such as "partition".'],
    [{ fault: { kind: 'page', ends: 'rows' } }, 'fault needs rows.'],
    [{ fault: { kind: 'page', ends: 'token', rows: 1 } }, 'fault.rows needs ends=rows, not token.'],
    [{ fault: { kind: 'page', ends: 'rows', rows: 1, every: 2 } }, 'fault.every needs ends=empty, not rows.'],
    [{ fault: { kind: 'connection' } }, 'fault needs bytesPerSecond, or cut: p, pc,'],
    [{ fault: { kind: 'connection', cut: 'n', bytesPerSecond: 1 } }, 'fault.bytesPerSecond excludes cut and when.'],
    [
      { fault: { kind: 'throttle', requestUnits: 1, account: 1 } },
      'fault.requestUnits excludes partition and account.',
    ],
    [{ fault: 'rivalwrites' }, `Did you mean 'rivalWrite'?`],
    [{ fault: { kind: 'rivalWrite', applied: true } }, `There is no 'applied'. It takes no fields.`],
    [{ fault: { kind: 'latency' } }, 'fault needs fixed, or min and max, or median and sigma'],
    [{ fault: { kind: 'latency', fixed: 1, sigma: 1 } }, 'fault needs fixed, or min and max, or median and sigma'],
    [{ fault: { kind: 'latency', min: 2, max: 1 } }, 'fault.min must not exceed fault.max.'],
    [{ fault: { kind: 'latency', fixed: -1 } }, 'fault.fixed must be at least 0; got -1.'],
    [{ fault: 'ServerBusy', tims: 1 }, `There is no 'tims'. Did you mean times?`],
    [{ fault: 'ServerBusy', times: 0 }, 'times must be at least 1; got 0.'],
    [{ fault: 'ServerBusy', probability: 2 }, 'probability must be at most 1; got 2.'],
    [{ fault: 'ServerBusy', seed: -1 }, 'seed must be at least 0; got -1.'],
    [{ fault: 'ServerBusy', for: '60' }, "for must be a length of time, such as 500ms, 60s, 5m or 1h; got '60'."],
    [{ fault: 'ServerBusy', for: '0s' }, 'for must be a length of time'],
    [{ fault: 'ServerBusy', id: 'a/b' }, 'id must be 1 to 64 letters'],
    [{ fault: 'ServerBusy', when: { tabel: 'x' } }, `There is no 'tabel'. Did you mean when.table?`],
    [{ fault: 'ServerBusy', when: { table: '' } }, 'when.table must not be empty.'],
    [
      { fault: 'ServerBusy', when: { operation: 'inserts' } },
      `when.operation cannot be 'inserts'. Did you mean 'insert'?`,
    ],
    [{ fault: 'ServerBusy', when: { operation: [] } }, 'when.operation must name an operation.'],
    [{ fault: 'ServerBusy', when: { header: {} } }, 'when.header.name is missing, such as "x-ms-version".'],
    [{ fault: 'ServerBusy', when: { partitionKey: 'a', partitionKeyPrefix: 'a' } }, 'Use only one.'],
  ])('%j is rejected', (rule, message) => {
    expect(() => readRule(rule)).toThrow(InvalidRule);
    expect(() => readRule(rule)).toThrow(message);
  });

  it.each([
    ['a kind', { kind: nested(31_000) }, 'The rule needs a fault.'],
    [
      'a parameter',
      { kind: 'latency', fixed: 1, when: nested(31_000) },
      'fault.when must be one of: before, after; got a list.',
    ],
  ])('with lists nested too deeply for %s is rejected', (_, fault, message) => {
    expect(() => readRule({ fault })).toThrow(message);
  });
});
