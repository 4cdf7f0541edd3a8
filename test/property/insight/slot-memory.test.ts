import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SlotMemory, slotTextMax } from '../../../src/insight/journal/slot-memory.js';

it('A slot has the numbers and the text that were set last, whatever the characters and the length of the text are', () => {
  const sizes = { minLength: 0, maxLength: slotTextMax + 2 };
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('a', '\xff', '\0'), ...sizes }),
    fc.string({ unit: 'binary', ...sizes }),
    // Halves of pairs alone, too.
    fc.array(fc.integer({ min: 0, max: 0xffff }), sizes).map((units) => String.fromCharCode(...units)),
  );
  const numbers = fc.array(fc.double({ noNaN: true }), { minLength: 7, maxLength: 7 });
  const shorts = fc.array(fc.nat({ max: 0xffff }), { minLength: 3, maxLength: 3 });
  const step = fc.record({ slot: fc.nat({ max: 3 }), text, numbers, shorts });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const memory = new SlotMemory(4);
      const expected = new Map<number, Omit<(typeof steps)[number], 'slot'>>();
      for (const { slot, ...set } of steps) {
        memory.numbers.set(set.numbers, memory.numberAt(slot));
        memory.shorts.set(set.shorts, memory.shortAt(slot));
        memory.setText(slot, set.text);
        expected.set(slot, set);
        for (const [known, wanted] of expected) {
          const kept = {
            text: memory.text(known),
            numbers: memory.readNumbers(known),
            shorts: memory.readShorts(known),
          };
          expect({ ...kept, numbers: [...kept.numbers], shorts: [...kept.shorts] }).toEqual(wanted);
        }
      }
    }),
  );
});
