import { expect, it } from 'vitest';
import { decodeOrdinal, encodeOrdinal } from '../../../../../src/store/postgres/read/read-ordinal-page.js';

it.each(['0', '133500000000000000', String(2n ** 63n - 1n)])('the place %s is read as it was written', (place) => {
  expect(encodeOrdinal(place)).toHaveLength(16);
  expect(decodeOrdinal(encodeOrdinal(place))).toBe(place);
});

it('a place that no row can have, as in a token that a client made, is after all rows', () => {
  expect(decodeOrdinal('f'.repeat(16))).toBe(String(2n ** 63n - 1n));
});
