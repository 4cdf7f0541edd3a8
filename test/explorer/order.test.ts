import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareValues } from '../../src/explorer/base/order.js';
import type { Value } from '../../src/explorer/base/value.js';

const values: fc.Arbitrary<Value | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.string().map((text) => ({ type: 'Edm.String' as const, text })),
  fc.integer().map((size) => ({ type: 'Edm.Int32' as const, text: String(size) })),
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((size) => ({ type: 'Edm.Int64' as const, text: `${size}` })),
  fc.double().map((size) => ({ type: 'Edm.Double' as const, text: String(size) })),
  fc.boolean().map((flag) => ({ type: 'Edm.Boolean' as const, text: String(flag) })),
);

const of = (type: Value['type'], ...texts: string[]) => texts.map((text): Value => ({ type, text }));
const sorted = (list: readonly (Value | undefined)[], isDown = false) =>
  list.toSorted((a, b) => compareValues(a, b, isDown)).map((value) => value?.text);

describe('The order of values', () => {
  it('is an order, in both directions', () => {
    fc.assert(
      fc.property(values, values, values, fc.boolean(), (a, b, c, isDown) => {
        expect(Math.sign(compareValues(a, b, isDown)) + Math.sign(compareValues(b, a, isDown))).toBeCloseTo(0);
        if (compareValues(a, b, isDown) <= 0 && compareValues(b, c, isDown) <= 0) {
          expect(compareValues(a, c, isDown)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });

  it('has empty and missing values at the end, up and down', () => {
    const list = [undefined, ...of('Edm.String', '', 'b', 'a')];
    expect(sorted(list)).toEqual(['a', 'b', '', undefined]);
    expect(sorted(list, true)).toEqual(['b', 'a', '', undefined]);
  });

  it('knows all digits of an Int64, and the size of numbers of different types', () => {
    const list = [
      ...of('Edm.Int64', '9007199254740993', '9007199254740992'),
      ...of('Edm.Double', 'NaN', '-1e3', '1.5'),
    ];
    expect(sorted([...list, ...of('Edm.Int32', '10', '9')])).toEqual([
      ...['-1e3', '1.5', '9', '10', '9007199254740992', '9007199254740993', 'NaN'],
    ]);
  });

  it('has a date before its fractions', () => {
    const dates = of('Edm.DateTime', '2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.0000001Z');
    expect(sorted(dates)).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.0000001Z', '2026-01-01T00:00:00.5Z']);
  });
});
