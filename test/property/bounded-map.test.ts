import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedMap } from '../../src/remembered.js';

describe('a bounded map', () => {
  it('has the last half of its entries, never more than its size, and counts what it forgot', () => {
    const key = fc.integer({ min: 0, max: 20 }).map(String);
    fc.assert(
      fc.property(fc.array(key, { maxLength: 200 }), fc.integer({ min: 2, max: 12 }), (keys, max) => {
        const map = new BoundedMap<string>(max);
        let made = 0;
        for (const [at, one] of keys.entries()) {
          map.use(one, () => {
            made++;
            return one;
          });
          const recent = [...new Set(keys.slice(0, at + 1).reverse())].slice(0, Math.floor(max / 2));
          expect(map.values()).toEqual(expect.arrayContaining(recent));
        }
        expect(map.values().length).toBeLessThanOrEqual(max + (max % 2));
        expect(new Set(map.values()).size).toBe(map.values().length);
        expect(made).toBe(map.values().length + map.forgotten);
      }),
    );
  });
});
