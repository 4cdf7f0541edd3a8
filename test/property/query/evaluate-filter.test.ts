import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeDouble } from '../../../src/entity/body/read-value.js';
import { writeJsonString } from '../../../src/entity/stored/json-text.js';
import type { StoredValue } from '../../../src/entity/stored/read-property.js';
import { readDateTime } from '../../../src/protocol/values/date-time.js';
import type { EdmType } from '../../../src/protocol/values/edm.js';
import { valueTest } from '../../../src/query/filter/evaluate-filter.js';
import type { ComparisonOperator } from '../../../src/query/filter/filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const operators: readonly ComparisonOperator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

/** Checks every operator against the order that a plain comparison returns. */
function expectOrder(stored: StoredValue, type: EdmType, value: string, order: number): void {
  const expected = { eq: order === 0, ne: order !== 0, lt: order < 0, le: order <= 0, gt: order > 0, ge: order >= 0 };
  const found = operators.map((operator) => [operator, valueTest(operator, { type, value })(stored.type, stored.json)]);
  expect(Object.fromEntries(found)).toEqual(expected);
}

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: -3n, max: 3n }),
);
const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', '\n', 'é', '\ud800', '\udc00', '\ue000') });

describe('comparing', () => {
  it('orders every two Int64 exactly', () => {
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        expectOrder({ type: 'Edm.Int64', json: `"${a}"` }, 'Edm.Int64', String(b), Number(a > b) - Number(a < b));
      }),
      { numRuns: runs(500) },
    );
  });

  it('orders every Int64 against every Int32 literal exactly', () => {
    fc.assert(
      fc.property(int64, fc.integer(), (a, b) => {
        expectOrder({ type: 'Edm.Int64', json: `"${a}"` }, 'Edm.Int32', String(b), Number(a > b) - Number(a < b));
      }),
    );
  });

  it('orders every two doubles', () => {
    const double = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer().map(Number));
    fc.assert(
      fc.property(double, double, (a, b) => {
        const stored: StoredValue = { type: 'Edm.Double', json: writeDouble(a) };
        expectOrder(stored, 'Edm.Double', String(b), Number(a > b) - Number(a < b));
        expectOrder(stored, 'Edm.Double', String(a), 0);
      }),
      { numRuns: runs(500) },
    );
  });

  it('orders every two strings by code unit', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expectOrder({ type: 'Edm.String', json: writeJsonString(a) }, 'Edm.String', b, a < b ? -1 : Number(a > b));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('orders every two binaries by byte', () => {
    const bytes = fc.uint8Array({ maxLength: 4 }).map((some) => Buffer.from(some));
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const stored: StoredValue = { type: 'Edm.Binary', json: `"${a.toString('base64')}"` };
        expectOrder(stored, 'Edm.Binary', b.toString('hex'), Buffer.compare(a, b));
      }),
      { numRuns: runs(500) },
    );
  });

  it('orders every two instants to 100 ns', () => {
    const ticks = fc.integer({ min: 0, max: 20_000_000 });
    const canonical = (tick: number) => {
      const second = String(Math.floor(tick / 10_000_000)).padStart(2, '0');
      const reading = readDateTime(`2020-01-01T00:00:${second}.${String(tick % 10_000_000).padStart(7, '0')}Z`);
      return 'text' in reading ? reading.text : '';
    };
    fc.assert(
      fc.property(ticks, ticks, (a, b) => {
        expectOrder({ type: 'Edm.DateTime', json: `"${canonical(a)}"` }, 'Edm.DateTime', canonical(b), a - b);
      }),
      { numRuns: runs(500) },
    );
  });
});
