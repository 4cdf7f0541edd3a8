import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClock } from '../../../src/clock/clock.js';
import { readEntity } from '../../../src/entity/body/read-entity.js';
import { writeDouble } from '../../../src/entity/body/read-value.js';
import { readJsonString, writeJsonString } from '../../../src/entity/stored/json-text.js';
import { readDateTime } from '../../../src/protocol/values/date-time.js';
import { anyText, finiteDouble, instant } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';

describe('a double', () => {
  it('is parsed back from its text', () => {
    fc.assert(
      fc.property(finiteDouble, (value) => {
        expect(Number(writeDouble(value))).toBe(value);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('has a JSON text that differs from that of an integer', () => {
    fc.assert(
      fc.property(finiteDouble, (value) => {
        expect(writeDouble(value)).toMatch(/^-?\d+(?:\.\d+)?(?:E[+-]\d{2,3})?$/);
        expect(writeDouble(value)).toMatch(/[.E]/);
        expect(JSON.parse(writeDouble(value))).toBe(value);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('has at most 17 digits, no redundant zeros, and does not change when written again', () => {
    fc.assert(
      fc.property(finiteDouble, (value) => {
        const text = writeDouble(value);
        const [mantissa = ''] = text.replace('-', '').split('E');
        expect(mantissa.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length).toBeLessThanOrEqual(17);
        expect(mantissa).not.toMatch(/\.\d+0$/);
        expect(writeDouble(Number(text))).toBe(text);
      }),
    );
  });
});

describe('a JSON string', () => {
  it('is ASCII and is parsed back to the same string', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = writeJsonString(text);
        expect(json).toMatch(/^[ -\u007f]*$/);
        expect(JSON.parse(json)).toBe(text);
        expect(readJsonString(json)).toBe(text);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('escapes every quote with a backslash; the readers of entities rely on it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(writeJsonString(text).slice(1, -1)).not.toMatch(/(?:^|[^\\])"/);
      }),
    );
  });
});

describe('a DateTime', () => {
  it('in canonical form is read unchanged', () => {
    fc.assert(
      fc.property(instant, (text) => {
        expect(readDateTime(text)).toEqual({ text });
      }),
    );
  });

  it('is the same instant with every offset', () => {
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), offset, (milliseconds, minutes) => {
        const size = Math.abs(minutes);
        const two = (part: number) => String(part).padStart(2, '0');
        const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        const local = new Date(milliseconds + minutes * 60_000).toISOString().slice(0, -1);
        const reading = readDateTime(local + zone);
        expect('text' in reading && Date.parse(reading.text)).toBe(milliseconds);
      }),
    );
  });
});

describe('the clock', () => {
  it('returns increasing timestamps, even if its source jumps', () => {
    const jumps = fc.array(fc.integer({ min: -5000, max: 5000 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), jumps, (start, steps) => {
        let now = start;
        const clock = createClock(() => Math.max(0, now));
        let before = '';
        for (const step of steps) {
          now += step;
          const text = clock.nextTimestamp();
          expect(readDateTime(text)).toEqual({ text });
          expect(text.slice(0, -1) > before).toBe(true);
          before = text.slice(0, -1);
        }
      }),
    );
  });

  it('resumes after any timestamp', () => {
    const modern = fc.integer({ min: 0, max: 4e12 });
    fc.assert(
      fc.property(modern, modern, fc.integer({ min: 0, max: 9999 }), (now, then, ticks) => {
        const last = readDateTime(`${new Date(then).toISOString().slice(0, -1)}${String(ticks).padStart(4, '0')}Z`);
        const clock = createClock(() => now);
        const text = 'text' in last ? last.text : '';
        clock.resumeAfter(text);
        expect(clock.nextTimestamp().slice(0, -1) > text.slice(0, -1)).toBe(true);
      }),
    );
  });
});

describe('the body of a write', () => {
  it('with any JSON object is rejected or read like JSON.parse', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(anyText, fc.boolean())), (members) => {
        const read = readEntity(JSON.stringify(members)).properties;
        expect(Object.fromEntries(read.map(({ name, json }) => [name, JSON.parse(json)]))).toEqual({ ...members });
      }),
    );
  });
});
