import { expect, it } from 'vitest';
import { writeTabText } from '../../src/explorer/base/tab-text.js';

it('A cell with a tab, a line break or a first quotation mark is in quotation marks', () => {
  const rows = [
    ['a', 'b c'],
    ['x\ty', '"z"', '5" pipe'],
  ];
  expect(writeTabText(rows)).toBe('a\tb c\n"x\ty"\t"""z"""\t5" pipe');
});
