import { describe, expect, it } from 'vitest';
import { writeDouble } from '../../../src/entity/body/read-value.js';

describe('writeDouble', () => {
  it.each([
    [5, '5.0'],
    [3, '3.0'],
    [3.1, '3.1'],
    [Number('3.14159'), '3.14159'],
    [1234.1234, '1234.1234'],
    [1.23456789012346e24, '1.23456789012346E+24'],
    [2 ** 63 * 1000, '9.2233720368547758E+21'],
    [Number.MAX_VALUE, '1.7976931348623157E+308'],
    [Number.MIN_VALUE, '4.94065645841247E-324'],
    [123456789012345.12, '123456789012345.12'],
  ])('writes %d as recorded: %s', (value, text) => {
    expect(writeDouble(value)).toBe(text);
  });

  it.each([
    [0, '0.0'],
    [-0, '-0.0'],
    [-1.5, '-1.5'],
    [-2e-7, '-2E-07'],
    [100, '100.0'],
    [0.5, '0.5'],
  ])('keeps the sign and adds a fraction: %d is %s', (value, text) => {
    expect(writeDouble(value)).toBe(text);
  });

  it.each([
    [0.0001, '0.0001'],
    [0.00012, '0.00012'],
    [0.00001, '1E-05'],
    [0.000012, '1.2E-05'],
    [1e-100, '1E-100'],
  ])('writes an exponent below 0.0001: %d is %s', (value, text) => {
    expect(writeDouble(value)).toBe(text);
  });

  it.each([
    [1 + 2 ** -52, '1.0000000000000002'],
    [1.234567890123456, '1.234567890123456'],
    [0.0001234567890123456, '0.00012345678901234559'],
    [-0.3 - 2 ** -54, '-0.30000000000000004'],
    [0.00010000000000000002, '0.00010000000000000002'],
    [12345678901234568, '12345678901234568.0'],
    [12345678901234560, '12345678901234560.0'],
    [123456789012345680, '1.2345678901234568E+17'],
  ])('writes no exponent below 1E+17 if 17 digits are needed: %d is %s', (value, text) => {
    expect(writeDouble(value)).toBe(text);
  });

  it.each([
    [123456789012345, '123456789012345.0'],
    [1e14, '100000000000000.0'],
    [1e15, '1E+15'],
    [1234567890123450, '1.23456789012345E+15'],
  ])('writes an exponent from 1E+15 if 15 digits are enough: %d is %s', (value, text) => {
    expect(writeDouble(value)).toBe(text);
  });

  it.each([
    [1234567890123456, '1234567890123456.0'],
    [12345678901234568, '12345678901234568.0'],
    [123456789012345680, '1.2345678901234568E+17'],
  ])('writes an exponent from 1E+17 if 17 digits are needed: %d is %s', (value, text) => {
    expect(writeDouble(value)).toBe(text);
  });

  it.each([
    [80000000000000 + 1 / 16, '80000000000000.062'],
    [-80000000000000 - 1 / 16, '-80000000000000.062'],
    [80000000000000 + 3 / 16, '80000000000000.188'],
    [468593673153374 + 5 / 8, '468593673153374.62'],
    [468593673153374 + 7 / 8, '468593673153374.88'],
    [1 / 2 + 1 / 2 ** 18, '0.50000381469726562'],
    [-1 / 2 - 3 / 2 ** 18, '-0.50001144409179688'],
    [1259 / 2 ** 20, '0.0012006759643554688'],
  ])('rounds %d, halfway between two texts of 17 digits, to the even one: %s', (value, text) => {
    expect(writeDouble(value)).toBe(text);
  });

  it('writes 17 digits where the shortest form has 16', () => {
    expect(writeDouble(0.1 + 0.2)).toBe('0.30000000000000004');
    expect(writeDouble(1.2345678901234567)).toBe('1.2345678901234567');
    expect(writeDouble(2 / 3)).toBe('0.66666666666666663');
  });
});
