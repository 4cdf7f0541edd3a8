import { describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';

const noon = Date.UTC(2026, 10, 21, 12);

/** Creates a clock whose source of milliseconds the test sets. */
function handClock(start = noon) {
  const hand = { now: start };
  return { hand, clock: createClock(() => hand.now) };
}

/** Removes the `Z`: canonical texts without it compare in chronological order. */
const instant = (text: string) => text.slice(0, -1);

describe('createClock', () => {
  it('returns UTC text with at most seven fraction digits and no trailing zeros', () => {
    const { clock } = handClock();
    for (let turn = 0; turn < 20_000; turn++) {
      expect(clock.nextTimestamp()).toMatch(/^2026-11-21T12:00:0\d(?:\.\d{0,6}[1-9])?Z$/);
    }
  });

  it('returns a full second without a fraction', () => {
    const { clock } = handClock();
    clock.resumeAfter('2026-11-21T12:59:59.9999999Z');
    expect(clock.nextTimestamp()).toBe('2026-11-21T13:00:00Z');
    expect(clock.nextTimestamp()).toBe('2026-11-21T13:00:00.0000001Z');
  });

  it('returns a timestamp within the millisecond of its source', () => {
    const { hand, clock } = handClock();
    for (const now of [noon, noon + 1, noon + 999, noon + 1000, noon + 86_400_000]) {
      hand.now = now;
      expect(Date.parse(clock.nextTimestamp())).toBe(now);
    }
  });

  it('advances by single ticks while its source is frozen, past the next millisecond too', () => {
    const { clock } = handClock();
    let before = clock.nextTimestamp();
    for (let turn = 0; turn < 20_000; turn++) {
      const next = clock.nextTimestamp();
      expect(instant(next) > instant(before)).toBe(true);
      before = next;
    }
    // 20,001 ticks of 100 ns are two milliseconds and one tick.
    expect(Date.parse(before)).toBeGreaterThanOrEqual(noon + 2);
  });

  it('advances if its source jumps back', () => {
    const { hand, clock } = handClock();
    const before = clock.nextTimestamp();
    hand.now -= 3_600_000;
    const after = clock.nextTimestamp();
    expect(instant(after) > instant(before)).toBe(true);
    expect(Date.parse(after)).toBe(noon);
  });

  it('returns the time of its source from now()', () => {
    const { hand, clock } = handClock();
    clock.nextTimestamp();
    hand.now -= 1000;
    expect(clock.now()).toBe(noon - 1000);
  });

  it('continues one tick after a timestamp that is ahead of its source', () => {
    const { clock } = handClock();
    clock.resumeAfter('2027-01-01T00:00:00.0000009Z');
    expect(clock.nextTimestamp()).toBe('2027-01-01T00:00:00.000001Z');
  });

  it('is not set back by a timestamp in the past', () => {
    const { clock } = handClock();
    const before = clock.nextTimestamp();
    clock.resumeAfter('2020-01-01T00:00:00Z');
    expect(clock.last()).toBe(before);
    expect(instant(clock.nextTimestamp()) > instant(before)).toBe(true);
  });

  it('continues after the later of two timestamps within a millisecond, in either order', () => {
    const { clock } = handClock();
    for (const [timestamp, next] of [
      ['2027-01-01T00:00:00.1234567Z', '2027-01-01T00:00:00.1234568Z'],
      ['2027-01-01T00:00:00.1234560Z', '2027-01-01T00:00:00.1234569Z'],
      ['2027-01-01T00:00:00.1234569Z', '2027-01-01T00:00:00.123457Z'],
      ['2027-01-01T00:00:00.1239Z', '2027-01-01T00:00:00.1239001Z'],
    ] as const) {
      clock.resumeAfter(timestamp);
      expect(clock.nextTimestamp()).toBe(next);
    }
  });

  it('can be resumed from its own last timestamp', () => {
    const { hand, clock } = handClock();
    for (let turn = 0; turn < 12_345; turn++) clock.nextTimestamp();
    const resumed = createClock(() => hand.now - 10_000);
    resumed.resumeAfter(clock.last());
    expect(resumed.last()).toBe(clock.last());
    expect(resumed.nextTimestamp()).toBe(clock.nextTimestamp());
  });
});
