import { describe, expect, it } from 'vitest';
import { InvalidRule } from '../../../src/faults/rules/invalid-rule.js';
import { readRule } from '../../../src/faults/rules/read-rule.js';
import { readRuleTexts } from '../../../src/faults/rules/read-rule-text.js';

describe('A rule in words', () => {
  it.each<[string, readonly object[]]>([
    [
      'table=Jobs op=insert fault=503 times=2',
      [{ when: { table: 'Jobs', operation: ['insert'] }, fault: { kind: 'error', code: 'ServerBusy' }, times: 2 }],
    ],
    ['fault=PropertyNameTooLong', [{ fault: { kind: 'error', code: 'PropertyNameTooLong' } }]],
    ['fault=500', [{ fault: { kind: 'error', code: 'InternalError' } }]],
    ['fault=OperationTimedOut applied=true', [{ fault: { kind: 'error', code: 'OperationTimedOut', applied: true } }]],
    [
      'operation=insert,get fault=409',
      [{ when: { operation: ['insert', 'get'] }, fault: { kind: 'error', code: 'TableBeingDeleted' } }],
    ],
    ['partitionKey=42 fault=503', [{ when: { partitionKey: '42' }, fault: { kind: 'error', code: 'ServerBusy' } }]],
    [
      'partitionKey="a b; c" fault=503',
      [{ when: { partitionKey: 'a b; c' }, fault: { kind: 'error', code: 'ServerBusy' } }],
    ],
    ['rowKey="" fault=503', [{ when: { rowKey: '' }, fault: { kind: 'error', code: 'ServerBusy' } }]],
    ['header=x-a fault=503', [{ when: { header: { name: 'x-a' } }, fault: { kind: 'error', code: 'ServerBusy' } }]],
    [
      'header=x-a:b:c fault=503',
      [{ when: { header: { name: 'x-a', value: 'b:c' } }, fault: { kind: 'error', code: 'ServerBusy' } }],
    ],
    [
      'scoped=true id=7 fault=503 for=5s',
      [{ when: { scoped: true }, id: '7', fault: { kind: 'error', code: 'ServerBusy' }, for: '5s' }],
    ],
    [
      'account=a fault=throttle fault.account=5 partition=2.5 burst=2s',
      [{ when: { account: 'a' }, fault: { kind: 'throttle', account: 5, partition: 2.5, burst: '2s' } }],
    ],
    [
      'fault=503 ; fault=latency fixed=5;',
      [{ fault: { kind: 'error', code: 'ServerBusy' } }, { fault: { kind: 'latency', fixed: 5 } }],
    ],
  ])('%s', (text, rules) => {
    expect(readRuleTexts(text)).toEqual(rules);
    for (const rule of rules) expect(() => readRule(rule)).not.toThrow();
  });

  // A list that is searched again for each semicolon takes many seconds each time, and the test longer than any may.
  it.each([
    ['between rules', `${';'.repeat(65_000)}fault=503`, [{ fault: { kind: 'error', code: 'ServerBusy' } }]],
    [
      'in quotes',
      `partitionKey="${';'.repeat(65_000)}" fault=503`,
      [{ when: { partitionKey: ';'.repeat(65_000) }, fault: { kind: 'error', code: 'ServerBusy' } }],
    ],
  ])('may have very many semicolons %s', (_place, text, rules) => {
    for (let time = 0; time < 200; time++) readRuleTexts(text);
    expect(readRuleTexts(text)).toEqual(rules);
  });

  it.each(['flaky', 'cloud'])('%s is a profile: rules with seeds of their own', (profile) => {
    const plain = readRuleTexts(profile);
    const seeded = readRuleTexts(`${profile} seed=7 for=10m table=Jobs`);
    expect(seeded).toHaveLength(plain.length);
    expect(new Set(seeded.map((rule) => readRule(rule).rule.seed)).size).toBe(plain.length);
    for (const rule of seeded)
      expect(readRule(rule)).toMatchObject({ lastsMs: 600_000, rule: { when: { table: 'Jobs' } } });
  });

  it.each([
    ['', 'The rule is empty.'],
    ['a="b;c=d', `'a="b;c=d' is not a list of words such as fault=503`],
    ['flakey', "There is no profile 'flakey'. Did you mean 'flaky'?"],
    ['flaky fault=503', 'A profile has its own faults.'],
    ['fault = 503', 'is not a list of words such as fault=503'],
    ['fault=503 "', 'is not a list of words such as fault=503'],
    [
      'tabel=Jobs fault=503',
      "There is no 'tabel'. Known: fault.code, fault.applied, fault.retryAfter, fault.retryAfterMs. Or did you mean the word 'table'?",
    ],
    ['fault=504 tims=2', "There is no fault '504'."],
    ['tabel=Jobs times=2', 'The rule needs fault=, which tabel belongs to.'],
  ])('%j is rejected', (text, message) => {
    expect(() => readRuleTexts(text)).toThrow(InvalidRule);
    expect(() => readRuleTexts(text)).toThrow(message);
  });

  it.each([
    ['A list', `${'fault=503;'.repeat(100)}fault=none`, 'At most 100 rules are allowed.'],
    ['A text', ';'.repeat(65_537), 'The rules are longer than 65536 characters.'],
    ['A profile', 'x'.repeat(65_536), `There is no profile '${'x'.repeat(60)}'. Known: flaky, cloud.`],
    ['A word', `${'x'.repeat(65_000)}=1`, `The rule needs fault=, which ${'x'.repeat(60)} belongs to.`],
  ])('%s that is too long is rejected, and not told in full', (_what, text, message) => {
    expect(() => readRuleTexts(text)).toThrow(message);
  });

  it.each([
    ['fault=503 times=two', "times must be a number; got 'two'."],
    ['table=Jobs', 'The rule needs a fault.'],
    ['flaky seed=seven', 'seed must be a number'],
    ['flaky seed=1.5', 'seed must be a whole number'],
  ])('%j is rejected when the rule is read', (text, message) => {
    expect(() => readRuleTexts(text).map(readRule)).toThrow(message);
  });
});
