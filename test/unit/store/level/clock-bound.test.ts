import { describe, expect, it } from 'vitest';
import { createClock } from '../../../../src/clock/clock.js';
import { clockKey } from '../../../../src/store/level/engine/key-encoding.js';
import { ClockBound } from '../../../../src/store/level/level-store.js';

const start = Date.UTC(2026, 10, 22, 10, 0, 0);

describe('the bound of the clock', () => {
  it('is not below any Timestamp that was issued before it was asked for, and a clock that resumes after it is later', () => {
    let now = start;
    const clock = createClock(() => now);
    const bound = new ClockBound(clock);
    let stored = '';
    for (let i = 0; i < 2000; i++) {
      now += (i * 7919) % 40;
      if (i % 100 === 0) now -= 1500;
      const issued = clock.nextTimestamp();
      stored = bound.next()?.value ?? stored;

      const resumed = createClock(() => start);
      resumed.resumeAfter(stored);
      expect(resumed.nextTimestamp().slice(0, -1) > issued.slice(0, -1), `${stored} after ${issued}`).toBe(true);
    }
  });

  it('is written once for all Timestamps within its lead, in canonical form', () => {
    let now = start;
    const clock = createClock(() => now);
    const bound = new ClockBound(clock);
    const records = Array.from({ length: 100 }, () => {
      now += 10;
      clock.nextTimestamp();
      return bound.next();
    }).filter((record) => record !== undefined);

    expect(records.length).toBeLessThan(12);
    for (const { key, value } of records) {
      expect(key).toBe(clockKey);
      expect(value).toMatch(/^2026-11-22T10:00:0[01](?:\.\d{0,2}[1-9])?Z$/);
    }
  });

  it('is written again if the batch with its record failed', () => {
    const clock = createClock(() => start);
    const bound = new ClockBound(clock);
    clock.nextTimestamp();
    const first = bound.next();
    bound.forget();

    expect(first).toBeDefined();
    expect(bound.next()).toEqual(first);
  });
});
