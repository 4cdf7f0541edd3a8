import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTabText, writeTabText } from '../../src/explorer/base/tab-text.js';

describe('Tab-separated text', () => {
  it('has the same cells after it is written and read', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\n', '\r', '"', "'", 'é', '1') });
    const rows = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 4 }),
      )
      // A last row with one empty cell is the line break at the end of a copy.
      .filter((list) => list.at(-1)?.join() !== '');
    fc.assert(fc.property(rows, (list) => void expect(readTabText(writeTabText(list))).toEqual(list)));
  });

  it.each([
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a', [['a']]],
    [
      'a\t\n\tb',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['"two\nlines"\t"a ""b"""', [['two\nlines', 'a "b"']]],
    ['5" pipe\t"open', [['5" pipe', '"open']]],
    ['a\n\nb', [['a'], [''], ['b']]],
  ])('%j has these cells', (text, rows) => {
    expect(readTabText(text)).toEqual(rows);
  });
});
