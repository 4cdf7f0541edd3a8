import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SlotTexts } from '../../../src/journal/slot-texts.js';

it('A slot has the text that was set last, whatever its characters and its length are', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 12 }),
    // Halves of pairs alone, too.
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 }).map((units) => String.fromCharCode(...units)),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 3 }), text), { maxLength: 30 }), (steps) => {
      const texts = new SlotTexts(4, 8);
      const expected = new Map<number, string>();
      for (const [slot, one] of steps) {
        texts.set(slot, one);
        expected.set(slot, one);
        for (const [known, wanted] of expected) expect(texts.get(known)).toBe(wanted);
      }
    }),
  );
});
