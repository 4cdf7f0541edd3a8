import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RuledRequest } from '../../../src/faults/effects/effect.js';
import { InvalidRule } from '../../../src/faults/rules/invalid-rule.js';
import { RuleSet } from '../../../src/faults/rules/rule-set.js';

/** A request that meets the conditions of every rule without conditions. */
const request = {} as RuledRequest;

const busy = (id: string) => ({ id, fault: 'ServerBusy' });

describe('Fault rules', () => {
  let removals: number;
  let rules: RuleSet;
  beforeEach(() => {
    removals = 0;
    rules = new RuleSet(() => removals++);
  });
  const ids = () => rules.list().map(({ id }) => id);

  it('are listed in the order in which they were added, as they were asked for', () => {
    expect(rules.list()).toEqual([]);
    const when = { table: 'Jobs', partitionKey: 'a\u0000\ud800"' };
    rules.add([
      { id: 'b', when, fault: 'ServerBusy', seed: 7, times: 2 },
      { id: 'a', fault: 'InternalError' },
    ]);
    expect(rules.list()).toMatchObject([
      {
        id: 'b',
        seed: 7,
        when,
        fault: { kind: 'error', code: 'ServerBusy' },
        times: 2,
        matched: 0,
        hits: 0,
        ended: false,
      },
      { id: 'a', fault: { kind: 'error', code: 'InternalError' }, ends: expect.stringMatching(/Z$/) },
    ]);
  });

  it('get ids that no other rule has', () => {
    rules.add([{ fault: 'ServerBusy' }]);
    rules.add([{ id: 'fault-2', fault: 'ServerBusy' }, { fault: 'ServerBusy' }]);
    rules.add([{ fault: 'ServerBusy' }]);
    expect(new Set(ids()).size).toBe(4);
    rules.remove();
    rules.add([{ fault: 'ServerBusy' }]);
    expect(ids()).toEqual(['fault-1']);
    rules.replace([{ fault: 'ServerBusy' }]);
    expect(ids()).toEqual(['fault-1']);
  });

  it('replace one with the same id, with new counts, and keep the counts of the others', () => {
    rules.add([busy('a'), busy('b')]);
    for (const rule of rules.active) rule.match(request);
    const [first] = rules.active;
    rules.add([{ id: 'a', fault: 'InternalError' }]);
    expect(rules.list()).toMatchObject([
      { id: 'b', matched: 1 },
      { id: 'a', matched: 0 },
    ]);
    expect(rules.active).not.toContain(first);
    expect(removals).toBe(1);
  });

  it('are replaced and removed, one or all', () => {
    rules.add([busy('a'), busy('b')]);
    expect([rules.remove('a'), rules.remove('a')]).toEqual([true, false]);
    expect(ids()).toEqual(['b']);
    rules.replace([busy('c'), busy('d')]);
    expect(ids()).toEqual(['c', 'd']);
    expect([rules.remove(), rules.remove()]).toEqual([true, false]);
    expect(ids()).toEqual([]);
    expect(removals).toBe(3);
  });

  it('stay as they are if a change is rejected', () => {
    rules.add(Array.from({ length: 100 }, () => ({ fault: 'ServerBusy' })));
    const before = ids();
    expect(() => rules.add([{ fault: 'ServerBusy' }])).toThrow(InvalidRule);
    expect(() => rules.replace(Array.from({ length: 101 }, () => ({ fault: 'ServerBusy' })))).toThrow(InvalidRule);
    const manyThenWrong = [{ text: 'fault=503;'.repeat(100) }, busy('x'), { fault: 'none' }];
    expect(() => rules.replace(manyThenWrong)).toThrow('At most 100 rules are allowed.');
    expect(() => rules.add([busy('x'), busy('x')])).toThrow('Two rules have the id x.');
    expect(ids()).toEqual(before);
  });

  it('count what they match and what they hit, for each rule', () => {
    rules.add([busy('a'), { ...busy('b'), after: 1 }]);
    const [first, second] = rules.active;
    expect([first?.match(request), first?.match(request), second?.match(request), second?.match(request)]).toEqual([
      0,
      1,
      undefined,
      1,
    ]);
    expect(first?.hit()).toBe(true);
    expect(rules.list()).toMatchObject([
      { matched: 2, hits: 1 },
      { matched: 2, hits: 0 },
    ]);
  });

  it('end when they have hit as often as they may, and count nothing more', () => {
    rules.add([{ fault: 'ServerBusy', times: 2 }]);
    const [rule] = rules.active;
    expect([rule?.hit(), rule?.hit(), rule?.hit(), rule?.match(request)]).toEqual([true, true, false, undefined]);
    expect(rules.list()).toMatchObject([{ hits: 2, matched: 0, ended: true }]);
    rules.sweep(performance.now());
    expect(rules.active).toEqual([]);
  });

  it('end when their time is over', () => {
    vi.useFakeTimers();
    try {
      rules.add([{ fault: 'ServerBusy', for: '50ms' }]);
      const [rule] = rules.active;
      vi.advanceTimersByTime(49);
      expect(rule?.match(request)).toBe(0);
      vi.advanceTimersByTime(1);
      expect(rule?.match(request)).toBeUndefined();
      expect(rules.list()).toMatchObject([{ ended: true }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('of which 100 ended last are listed', () => {
    rules.add(Array.from({ length: 100 }, () => ({ fault: 'ServerBusy', times: 1 })));
    const all = ids();
    for (const rule of rules.active) rule.hit();
    rules.add([{ id: 'last', fault: 'ServerBusy', times: 1 }]);
    rules.active.at(-1)?.hit();
    rules.add([busy('next')]);
    expect(ids()).toEqual([...all.slice(1), 'last', 'next']);
  });
});
