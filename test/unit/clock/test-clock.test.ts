import { describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { ClockFault, TestClock } from '../../../src/clock/test-clock.js';

const start = Date.UTC(2026, 10, 22);
const hour = 3_600_000;

/** Returns a clock, and a function that lets real time pass. */
function clockAt(): { readonly clock: TestClock; readonly pass: (ms: number) => void } {
  let real = start;
  const pass = (ms: number) => {
    real += ms;
  };
  return { clock: new TestClock(() => real), pass };
}

describe('A test clock', () => {
  it('is the real time until it is changed', () => {
    const { clock, pass } = clockAt();
    pass(hour);
    expect(clock.now()).toBe(start + hour);
    expect(clock.state()).toEqual({ now: '2026-11-22T01:00:00.000Z', frozen: false, aheadMs: 0 });
  });

  it('does not move while frozen, and then follows real time', () => {
    const { clock, pass } = clockAt();
    clock.freeze();
    pass(hour);
    expect(clock.now()).toBe(start);
    clock.resume();
    expect(clock.now()).toBe(start + hour);
  });

  it('keeps what it was moved forward', () => {
    const { clock, pass } = clockAt();
    clock.advance(hour);
    pass(hour);
    expect(clock.now()).toBe(start + 2 * hour);
    clock.freeze(start + 5 * hour);
    clock.advance(hour);
    expect(clock.now()).toBe(start + 6 * hour);
    pass(hour);
    clock.resume();
    expect(clock.now()).toBe(start + 7 * hour);
    expect(clock.state().aheadMs).toBe(5 * hour);
  });

  it.each([
    ['freeze', start - 1, 'The clock only goes forward'],
    ['freeze', Number.NaN, 'The clock ends with the year 9000'],
    ['freeze', Date.UTC(9001, 0), 'The clock ends with the year 9000'],
    ['advance', -1, 'The clock only goes forward'],
    ['advance', 1e20, 'The clock ends with the year 9000'],
  ] as const)('rejects to %s by %d, and stays as it was', (verb, value, message) => {
    const { clock } = clockAt();
    expect(() => clock[verb](value)).toThrow(ClockFault);
    expect(() => clock[verb](value)).toThrow(message);
    expect(clock.state()).toMatchObject({ frozen: false, aheadMs: 0 });
  });

  it('is changed even if real time passes in between', () => {
    let real = start;
    const clock = new TestClock(() => real++);
    clock.freeze();
    clock.resume();
    clock.advance(0);
    clock.freeze(undefined, hour);
    expect(clock.state()).toMatchObject({ frozen: true, aheadMs: hour });
  });

  it('lets Timestamps grow by 100 ns while it is frozen', () => {
    const { clock } = clockAt();
    clock.freeze();
    const stamper = createClock(clock.now);
    const own = [1, 2, 3].map(() => stamper.nextTimestamp());
    expect(new Set(own).size).toBe(3);
    const ticks = own.map((stamp) => Number(stamp.slice(19, -1) || 0) * 1e7);
    expect(ticks.map((tick) => Math.round(tick - (ticks[0] ?? 0)))).toEqual([0, 1, 2]);
  });
});
