import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeDouble } from '../../../src/entity/body/read-value.js';
import { finiteDouble } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Returns all decimal digits of a positive double, and the power of ten of the first digit. */
function exactDigits(value: number): { digits: string; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const biased = Number(bits.getBigUint64(0) >> 52n);
  const fraction = bits.getBigUint64(0) & (2n ** 52n - 1n);
  const mantissa = biased === 0 ? fraction : fraction + 2n ** 52n;
  const power = Math.max(biased, 1) - 1075;
  // m / 2^n is m * 5^n / 10^n.
  const digits = String(power < 0 ? mantissa * 5n ** BigInt(-power) : mantissa * 2n ** BigInt(power));
  return { digits, exponent: digits.length - 1 + Math.min(power, 0) };
}

/** Rounds to this many digits. A tie is rounded to the even digit. */
function roundToEven(value: number, count: number): { digits: string; exponent: number } {
  const { digits, exponent } = exactDigits(value);
  const padded = digits.padEnd(count + 1, '0');
  const head = BigInt(padded.slice(0, count));
  const rest = BigInt(padded.slice(count)) * 2n;
  const whole = 10n ** BigInt(padded.length - count);
  const rounded = String(rest > whole || (rest === whole && head % 2n === 1n) ? head + 1n : head);
  return { digits: rounded.slice(0, count), exponent: exponent + rounded.length - count };
}

/** Returns the text by the rule of the data model: 15 digits if they parse back, otherwise 17. */
function specifiedText(value: number): string {
  const magnitude = Math.abs(value);
  const sign = value < 0 ? '-' : '';
  const short = roundToEven(magnitude, 15);
  const isEnough = Number(`${short.digits}e${short.exponent - 14}`) === magnitude;
  const { digits, exponent } = isEnough ? short : roundToEven(magnitude, 17);
  const figures = digits.replace(/0+$/, '');
  if (exponent <= -5 || exponent >= (isEnough ? 15 : 17)) {
    const fraction = figures.length > 1 ? `.${figures.slice(1)}` : '';
    return `${sign}${figures[0]}${fraction}E${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const all = `${'0'.repeat(Math.max(0, -exponent))}${figures}`.padEnd(exponent + 1, '0');
  const point = Math.max(exponent, 0) + 1;
  return `${sign}${all.slice(0, point)}.${all.slice(point) || '0'}`;
}

/** Generates doubles with few binary places. Many of them are halfway between two texts of 17 digits. */
const withFewPlaces = fc
  .tuple(fc.maxSafeInteger(), fc.integer({ min: 1, max: 26 }))
  .map(([mantissa, places]) => mantissa / 2 ** places);

describe('a double', () => {
  it('is written by the rule of the data model, and a tie is rounded to even', () => {
    const nonZero = fc.oneof(finiteDouble, withFewPlaces).filter((value) => value !== 0);
    fc.assert(
      fc.property(nonZero, (value) => {
        expect(writeDouble(value)).toBe(specifiedText(value));
      }),
      { numRuns: runs(5000) },
    );
  });
});
