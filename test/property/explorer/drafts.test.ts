import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/explorer/base/entity.js';
import type { Value } from '../../../src/explorer/base/value.js';
import {
  draftOf,
  keepBreaks,
  overlapOf,
  propertiesOf,
  rebase,
  withProperties,
} from '../../../src/explorer/model/draft.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const words = fc
  .array(fc.constantFrom('a', 'b', ' ', '\n', '\r\n', '\r'), { maxLength: 12 })
  .map((parts) => parts.join(''));
const shown = (text: string) => text.replace(/\r\n?/g, '\n');

describe('Line breaks', () => {
  it('are those of the text before, wherever a field shows them as LF', () => {
    fc.assert(
      fc.property(
        words,
        fc.nat(12),
        fc.nat(4),
        fc.constantFrom('', 'x', '\n', 'x\ny'),
        (before, from, removed, text) => {
          const field = shown(before);
          const at = Math.min(from, field.length);
          const typed = field.slice(0, at) + text + field.slice(at + removed);
          expect(shown(keepBreaks(before, typed))).toBe(typed);
          expect(keepBreaks(before, field)).toBe(before);
          const isCrLf = before.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(before);
          if (isCrLf) expect(keepBreaks(before, typed)).toBe(typed.replaceAll('\n', '\r\n'));
        },
      ),
      { numRuns: runs(2000) },
    );
  });
});

describe('A text that is from no field', () => {
  it('stays as it is, such as the value before an edit or a pasted one', () => {
    fc.assert(
      fc.property(words, words, (before, text) => {
        fc.pre(text.includes('\r'));
        expect(keepBreaks(before, text)).toBe(text);
      }),
      { numRuns: runs(2000) },
    );
  });
});

const values = fc.record({
  type: fc.constantFrom('Edm.String', 'Edm.Int32'),
  text: fc.constantFrom('1', '2', '3'),
} as const);
const properties = fc
  .array(fc.tuple(fc.constantFrom('A', 'B', 'C'), values), { maxLength: 3 })
  .map((members) => new Map<string, Value>(members));
const entityOf = (own: Entity['properties']): Entity => ({
  ...{ partitionKey: 'p', rowKey: 'r', timestamp: '', etag: '', properties: own },
});

describe('A draft', () => {
  it('that is put onto a newer entity changes what its user has changed, and nothing else', () => {
    fc.assert(
      fc.property(properties, properties, properties, (before, mine, theirs) => {
        const place = { account: 'a', table: 'T' };
        const draft = withProperties(draftOf(place, entityOf(before)), mine);
        expect(propertiesOf(draft)).toEqual(mine);
        const rebased = rebase(draft, entityOf(theirs));
        const overlap = overlapOf(draft, entityOf(theirs));
        const written = propertiesOf(rebased);
        for (const name of ['A', 'B', 'C']) {
          const [was, wish, now] = [before.get(name), mine.get(name), theirs.get(name)];
          const isChanged = JSON.stringify(was) !== JSON.stringify(wish);
          expect(written.get(name), name).toEqual(isChanged ? wish : now);
          const isBoth = isChanged && JSON.stringify(was) !== JSON.stringify(now);
          expect(overlap.includes(name), name).toBe(isBoth && JSON.stringify(wish) !== JSON.stringify(now));
        }
        const merged = new Map([...theirs, ...rebased.changes]);
        for (const name of ['A', 'B', 'C']) expect(merged.get(name) ?? undefined).toEqual(written.get(name));
        for (const [name, change] of rebased.changes) expect(change).not.toEqual(theirs.get(name) ?? null);
      }),
      { numRuns: runs(2000) },
    );
  });
});
