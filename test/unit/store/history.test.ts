import { describe, expect, it } from 'vitest';
import { type HistoryEntry, linearize, type Step } from '../../support/arbitrary/history.js';

/** Two numbers, with reads of one or both, writes of one, and conditional changes. */
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

const isLinearizable = (...entries: HistoryEntry<Registers>[]) => linearize(entries, [0, 0], String).complete;

describe('a history is linearizable', () => {
  it('when nothing happened', () => {
    expect(isLinearizable()).toBe(true);
  });

  it('when reads during a write see the old or the new value, but never the old one after the new one', () => {
    const write = entry('write', [0, 9], put(0, 1));
    const early = entry('early', [1, 2], got(0, 0));
    const late = entry('late', [3, 4], got(0, 1));
    expect(isLinearizable(write, early, late)).toBe(true);
    expect(isLinearizable(write, entry('a', [1, 2], got(0, 1)), entry('b', [3, 4], got(0, 0)))).toBe(false);
  });

  it('not when a read misses a finished write', () => {
    expect(isLinearizable(entry('write', [0, 1], put(0, 1)), entry('read', [2, 3], got(0, 0)))).toBe(false);
  });

  it('not when two changes are based on the same state', () => {
    const [first, second] = [entry('a', [0, 3], changed(0, 1)), entry('b', [1, 2], changed(0, 2))];
    expect(isLinearizable(first)).toBe(true);
    expect(isLinearizable(first, second)).toBe(false);
    expect(isLinearizable(first, entry('b', [1, 2], changed(1, 2)))).toBe(true);
  });

  it('not when a read of both sees the second write without the first', () => {
    const writes = [entry('a', [0, 1], put(0, 1)), entry('b', [2, 3], put(1, 1))];
    const during = (...values: Registers) => entry('both', [0.5, 9], gotBoth(...values));
    expect(isLinearizable(...writes, during(0, 0))).toBe(true);
    expect(isLinearizable(...writes, during(1, 0))).toBe(true);
    expect(isLinearizable(...writes, during(1, 1))).toBe(true);
    expect(isLinearizable(...writes, during(0, 1))).toBe(false);
  });

  it('or returns the longest possible order if it is not', () => {
    const entries = [
      entry('write', [0, 1], put(0, 1)),
      entry('read', [2, 3], got(0, 1)),
      entry('wrong', [4, 5], got(0, 7)),
    ];
    expect(linearize(entries, [0, 0], String)).toEqual({ complete: false, order: ['write', 'read'] });
  });
});
