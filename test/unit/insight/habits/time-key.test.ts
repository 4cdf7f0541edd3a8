import { describe, expect, it } from 'vitest';
import { isTimeKey } from '../../../../src/insight/habits/time-key.js';

describe('A key that is a time', () => {
  it.each([
    ['2026-01-31'],
    ['2026-01-31T10:00:00.000Z'],
    ['web1_2026-01'],
    ['20260131'],
    ['2026013115'],
    ['1769853600000'],
    ['1769853600000_42'],
    ['1769853600000000000'],
    ['0639053280000000000'],
    ['639053280000000000'],
    ['01KG9ZQ3N8D5T1V7X2YB6CRMWH'],
    ['019c1374-7a00-7abc-8def-0123456789ab'],
  ])('is %s', (key) => {
    expect(isTimeKey(key)).toBe(true);
  });

  it.each([
    // Inverted ticks, of which the newest is the first.
    ['2516322695999999999'],
    ['0b8ee1f9-6b6e-4a5b-9f4e-0305e82c3301'],
    ['000223'],
    ['empid_000123_2012'],
    ['12345678'],
    ['2026'],
    ['202601'],
    ['Sales'],
    [''],
  ])('is not %s', (key) => {
    expect(isTimeKey(key)).toBe(false);
  });
});
