import { describe, expect, it } from 'vitest';
import { type HistoryEntry, linearise, type Step } from '../../support/history.js';

/** A register: two numbers, a read of one or of both, a write of one, and a change on condition of what is there. */
type Registers = readonly [number, number];

const entry = (
  name: string,
  [begun, ended]: readonly [number, number],
  judge: (state: Registers) => Step<Registers>,
): HistoryEntry<Registers> => ({ name, begun, ended, judge });

const put = (register: 0 | 1, value: number) => (state: Registers) => ({
  after: (register === 0 ? [value, state[1]] : [state[0], value]) as Registers,
});
const got =
  (register: 0 | 1, value: number) =>
  (state: Registers): Step<Registers> =>
    state[register] === value ? { after: state } : 'impossible';
const gotBoth =
  (...values: Registers) =>
  (state: Registers): Step<Registers> =>
    state[0] === values[0] && state[1] === values[1] ? { after: state } : 'impossible';
const changed =
  (from: number, to: number) =>
  (state: Registers): Step<Registers> =>
    state[0] === from ? { after: [to, state[1]] } : 'impossible';

const isLinearisable = (...entries: HistoryEntry<Registers>[]) => linearise(entries, [0, 0], String).complete;

describe('a history is linearisable', () => {
  it('when nothing happened', () => {
    expect(isLinearisable()).toBe(true);
  });

  it('when reads during a write see it or not, but not first the one and then the other', () => {
    const write = entry('write', [0, 9], put(0, 1));
    const early = entry('early', [1, 2], got(0, 0));
    const late = entry('late', [3, 4], got(0, 1));
    expect(isLinearisable(write, early, late)).toBe(true);
    expect(isLinearisable(write, entry('a', [1, 2], got(0, 1)), entry('b', [3, 4], got(0, 0)))).toBe(false);
  });

  it('not when a read misses a write that was over', () => {
    expect(isLinearisable(entry('write', [0, 1], put(0, 1)), entry('read', [2, 3], got(0, 0)))).toBe(false);
  });

  it('not when two changes rest on the same state', () => {
    const [first, second] = [entry('a', [0, 3], changed(0, 1)), entry('b', [1, 2], changed(0, 2))];
    expect(isLinearisable(first)).toBe(true);
    expect(isLinearisable(first, second)).toBe(false);
    expect(isLinearisable(first, entry('b', [1, 2], changed(1, 2)))).toBe(true);
  });

  it('not when a read of both sees the second write without the first', () => {
    const writes = [entry('a', [0, 1], put(0, 1)), entry('b', [2, 3], put(1, 1))];
    const during = (...values: Registers) => entry('both', [0.5, 9], gotBoth(...values));
    expect(isLinearisable(...writes, during(0, 0))).toBe(true);
    expect(isLinearisable(...writes, during(1, 0))).toBe(true);
    expect(isLinearisable(...writes, during(1, 1))).toBe(true);
    expect(isLinearisable(...writes, during(0, 1))).toBe(false);
  });

  it('and where it is not, the longest order tells how far it went', () => {
    const entries = [
      entry('write', [0, 1], put(0, 1)),
      entry('read', [2, 3], got(0, 1)),
      entry('wrong', [4, 5], got(0, 7)),
    ];
    expect(linearise(entries, [0, 0], String)).toEqual({ complete: false, order: ['write', 'read'] });
  });
});
