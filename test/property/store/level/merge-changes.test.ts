import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeChanges } from '../../../../src/store/level/engine/engine.js';

const key = fc.constantFrom(...'abcdefghij');

/** Returns entries in the order of their keys, each key once. */
const sorted = <T>(value: fc.Arbitrary<T>) =>
  fc
    .uniqueArray(fc.tuple(key, value), { selector: ([one]) => one })
    .map((entries) => entries.sort(([one], [other]) => (one < other ? -1 : 1)));

describe('the rows after changes', () => {
  it('are those of a map that got the changes; a tombstone is not a row', () => {
    const changed = fc.oneof(fc.constantFrom(null, ''), fc.constant('new'));
    fc.assert(
      fc.property(sorted(fc.constant('old')), sorted(changed), (rows, changes) => {
        const model = new Map<string, string>(rows);
        for (const [one, value] of changes) {
          if (value) model.set(one, value);
          else model.delete(one);
        }
        const keys = [...model.keys()].sort();
        const merged = mergeChanges(
          rows.map(([one]) => one),
          rows.map(([, text]) => text),
          changes.map(([one, value]) => ({ key: one, value })),
        );
        expect(merged).toEqual([keys, keys.map((one) => model.get(one))]);
      }),
    );
  });
});
