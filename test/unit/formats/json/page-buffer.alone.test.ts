import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type PageBuffer, PageMemory } from '../../../../src/formats/json/page-buffer.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

const memory = new PageMemory();

it('Pages that are not yet released never share memory, regardless of other releases', () => {
  const step = fc.oneof(
    fc.record({ take: fc.integer({ min: 1, max: 300_000 }) }),
    fc.record({ release: fc.nat({ max: 20 }), times: fc.integer({ min: 1, max: 2 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const held: { page: PageBuffer; mark: number }[] = [];
      for (const [mark, one] of steps.entries()) {
        if ('take' in one) {
          const page = memory.take(one.take);
          expect(page.bytes).toHaveLength(one.take);
          page.bytes.fill(mark);
          held.push({ page, mark });
        } else {
          const [gone] = held.splice(one.release, 1);
          // A second release must not free the memory again.
          for (let time = 0; time < one.times; time++) gone?.page.release();
        }
      }
      for (const { page, mark } of held) expect(page.bytes.every((byte) => byte === mark)).toBe(true);
      for (const { page } of held) page.release();
    }),
    { numRuns: runs(60) },
  );
});

it('takeText returns the bytes of a page as text', () => {
  const page = memory.take(4);
  page.bytes.write('true');
  expect(page.takeText()).toBe('true');
});

it('A page is framed by two texts in its own memory, unless they are too long', () => {
  const page = memory.take(4);
  page.bytes.write('true');

  expect(page.between('head \u00e9 ', '\r\n')?.toString('latin1')).toBe('head \u00e9 true\r\n');
  expect(page.between('x'.repeat(100_000), '')).toBeUndefined();
  expect(page.between('', 'x'.repeat(100_000))).toBeUndefined();
  expect(page.takeText()).toBe('true');
});

it('Memory beyond the reserve for later pages is freed immediately', () => {
  const before = process.memoryUsage().arrayBuffers;
  const pages = Array.from({ length: 10 }, () => memory.take(16 * 1024 * 1024));
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(150 * 1024 * 1024);
  for (const page of pages) page.release();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
});
