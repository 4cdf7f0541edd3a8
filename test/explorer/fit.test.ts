import { describe, expect, it } from 'vitest';
import { shownValue, type Value } from '../../src/explorer/base/value.js';
import { fitWidth } from '../../src/explorer/parts/grid/fit.js';

const measure = (text: string) => text.length * 7;
const of = (type: Value['type'], ...texts: string[]) => texts.map((text): Value => ({ type, text }));

describe('The width of a column', () => {
  it('fits its values between 64 and 320 px', () => {
    expect(fitWidth('a', ['Edm.Int32'], of('Edm.Int32', '1'), measure)).toBe(64);
    expect(fitWidth('a', ['Edm.String'], of('Edm.String', 'x'.repeat(20)), measure)).toBe(158);
    expect(fitWidth('a', ['Edm.String'], of('Edm.String', 'x'.repeat(90)), measure)).toBe(320);
  });

  it.each([
    ['Edm.Double', '-1.2345678901234567E-300'],
    ['Edm.DateTime', '2026-11-21T22:41:03.1234567Z'],
    ['Edm.Guid', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
  ] as const)('never cuts a %s', (type, text) => {
    const wide = (shown: string) => shown.length * 12;
    expect(fitWidth('a', [type], of(type, text), wide)).toBeGreaterThanOrEqual(wide(text));
  });

  it('is that of its first 50 values, and of its name', () => {
    const values = of('Edm.String', ...Array.from({ length: 50 }, () => 'x'), 'x'.repeat(40));
    expect(fitWidth('a', ['Edm.String'], values, measure)).toBe(64);
    expect(fitWidth('a long name', ['Edm.String'], values, measure)).toBe(133);
  });
});

describe('A cell', () => {
  it.each([
    [' a  b ', '·a··b·'],
    ['a b', 'a b'],
    [' ', '·'],
    ['a\u00a0b', 'a⍽b'],
    ['z\u200by', 'z◌y'],
    ['abc\u202edef', 'abc◌def'],
    ['a\r\nb\nc\td', 'a↵b↵c→d'],
    ['\u0000\u0007', '␣␣'],
  ])('has a sign for each invisible character of %j', (text, shown) => {
    expect(shownValue({ type: 'Edm.String', text })).toBe(shown);
  });
});
