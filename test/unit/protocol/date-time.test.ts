import { describe, expect, it } from 'vitest';
import { readDateTime, readHttpDate } from '../../../src/protocol/values/date-time.js';

describe('readDateTime', () => {
  it.each([
    ['2026-11-21', '2026-11-21T00:00:00Z'],
    ['2026-11-21T01:02Z', '2026-11-21T01:02:00Z'],
    ['2026-11-21T01:02:03Z', '2026-11-21T01:02:03Z'],
    ['2026-11-21T01:02:03.5Z', '2026-11-21T01:02:03.5Z'],
    ['2026-11-21T01:02:03.1234567Z', '2026-11-21T01:02:03.1234567Z'],
    ['2026-11-21T01:02', '2026-11-21T01:02:00Z'],
    ['2026-11-21T01:02:03', '2026-11-21T01:02:03Z'],
    ['2026-11-21T01:02:03.25', '2026-11-21T01:02:03.25Z'],
  ])('accepts the form %s', (sent, text) => {
    expect(readDateTime(sent)).toEqual({ text });
  });

  it.each([
    ['1973-10-04T00:00:00.000000Z', '1973-10-04T00:00:00Z'],
    ['2011-11-04T00:05:23.283000Z', '2011-11-04T00:05:23.283Z'],
    ['2020-08-22T01:12:06.2608595Z', '2020-08-22T01:12:06.2608595Z'],
    ['2020-08-22T01:12:06.2608590Z', '2020-08-22T01:12:06.260859Z'],
    ['2012-11-10T03:04:05.2000000Z', '2012-11-10T03:04:05.2Z'],
  ])('removes trailing zeros as recorded: %s becomes %s', (sent, text) => {
    expect(readDateTime(sent)).toEqual({ text });
  });

  it('cuts off digits beyond 100 ns', () => {
    expect(readDateTime('2026-11-21T01:02:03.12345678999Z')).toEqual({ text: '2026-11-21T01:02:03.1234567Z' });
    expect(readDateTime('2026-11-21T01:02:03.00000009Z')).toEqual({ text: '2026-11-21T01:02:03Z' });
  });

  it.each([
    ['2026-11-21T01:00:00+01:00', '2026-11-21T00:00:00Z'],
    ['2026-11-21T00:30:00.5+01:00', '2026-11-20T23:30:00.5Z'],
    ['2026-12-31T23:00:00-05:30', '2027-01-01T04:30:00Z'],
    ['2024-02-28T20:00:00-06:00', '2024-02-29T02:00:00Z'],
    ['2026-11-21T14:00+14:00', '2026-11-21T00:00:00Z'],
    ['2026-11-21T01:02:03-00:00', '2026-11-21T01:02:03Z'],
  ])('converts the offset of %s to UTC', (sent, text) => {
    expect(readDateTime(sent)).toEqual({ text });
  });

  it.each([
    '2023-02-29',
    '2024-02-30T00:00:00Z',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-11-21T24:00:00Z',
    '2026-11-21T23:60:00Z',
    '2026-11-21T23:59:60Z',
  ])('rejects %s, which does not exist', (sent) => {
    expect(readDateTime(sent)).toEqual({ fault: 'unreadable' });
  });

  it.each([
    '',
    'yesterday',
    '2026-11-21 01:02:03',
    '2026-11-21T01:02:03.Z',
    '2026-11-21T1:02:03Z',
    '2026-1-2',
    '02026-11-21',
    '21/11/2026',
    '2026-11-21T01:02:03z',
    '2026-11-21T01:02:03Z ',
    '2026-11-21T01:02:03+0100',
    '2026-11-21T01:02:03+14:01',
  ])('rejects %j, which does not have the form of a date', (sent) => {
    expect(readDateTime(sent)).toEqual({ fault: 'unreadable' });
  });

  it('rejects an offset with more than 59 minutes', () => {
    expect(readDateTime('2026-11-21T01:02:03+05:60')).toEqual({ fault: 'unreadable' });
  });

  it('accepts dates from 1601 to the last tick of 9999', () => {
    expect(readDateTime('1601-01-01T00:00:00Z')).toEqual({ text: '1601-01-01T00:00:00Z' });
    expect(readDateTime('9999-12-31T23:59:59.9999999Z')).toEqual({ text: '9999-12-31T23:59:59.9999999Z' });
  });

  it.each([
    ['0001-01-01T00:00:00Z', '01/01/0001 00:00:00'],
    ['1600-12-31T23:59:59.9999999Z', '12/31/1600 23:59:59'],
    ['1601-01-01T00:00:00+00:01', '12/31/1600 23:59:00'],
  ])('reports %s as out of range, printed as the service does: %s', (sent, printed) => {
    expect(readDateTime(sent)).toEqual({ fault: 'out-of-range', printed });
  });

  it('rejects an offset that gives a year with more than four digits', () => {
    expect(readDateTime('9999-12-31T23:59:59-00:01')).toEqual({ fault: 'unreadable' });
  });
});

describe('readHttpDate', () => {
  const instant = Date.UTC(2026, 10, 1, 8, 49, 37);

  it.each(['Sun, 01 Nov 2026 08:49:37 GMT', 'Sun, 1 Nov 2026 08:49:37 GMT', 'Sunday, 01-Nov-26 08:49:37 GMT'])(
    'reads %s',
    (text) => {
      expect(readHttpDate(text)).toBe(instant);
    },
  );

  it.each([
    '2026-11-01T08:49:37Z',
    '2026-11-01T08:49:37',
    'Sun, 01 Nov 2026 08:49:37',
    'Sun, 01 Nov 2026 08:49:37 +0000',
    'Sun, 01 Nov 2026 08:49:37 PST',
    'Sun Nov  1 08:49:37 2026',
    '01 Nov 2026 08:49:37 GMT',
    'Sun, 99 Nov 2026 08:49:37 GMT',
    'Sun, 01 Foo 2026 08:49:37 GMT',
    '1793522977000',
    '',
  ])('returns NaN for %j', (text) => {
    expect(readHttpDate(text)).toBeNaN();
  });
});
