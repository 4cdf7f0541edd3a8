import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asciiArray,
  keyArray,
  numberArray,
  textArray,
} from '../../../../src/store/postgres/connection/array-parameters.js';
import { encodeKey } from '../../../../src/store/postgres/schema/keys.js';

/** Reads an array in PostgreSQL's binary form: its type, and the bytes of its elements. */
function readArray(array: Buffer): { readonly type: number; readonly elements: readonly (Buffer | null)[] } {
  const [dimensions, hasNull, type = 0, length = 0, lowest] = [0, 4, 8, 12, 16].map((at) => array.readInt32BE(at));
  expect([dimensions, hasNull, lowest]).toEqual([1, 1, 1]);
  const elements: (Buffer | null)[] = [];
  let at = 20;
  for (let element = 0; element < length; element++) {
    const bytes = array.readInt32BE(at);
    at += 4;
    elements.push(bytes === -1 ? null : array.subarray(at, at + bytes));
    at += Math.max(0, bytes);
  }
  expect(at).toBe(array.length);
  return { type, elements };
}

const [bytea, text] = [17, 25];

describe('an array for the database', () => {
  it('holds texts and nulls', () => {
    const texts = fc.array(fc.option(fc.string({ unit: 'binary' })));
    fc.assert(
      fc.property(texts, (values) => {
        const { type, elements } = readArray(textArray(values));
        expect(type).toBe(text);
        expect(elements.map((bytes) => bytes?.toString() ?? null)).toEqual(values);
      }),
    );
  });

  it('holds the same texts in the same bytes if they are known to be ASCII', () => {
    const texts = fc.array(fc.option(fc.string({ unit: 'binary-ascii' })));
    fc.assert(
      fc.property(texts, (values) => {
        expect(asciiArray(values)).toEqual(textArray(values));
      }),
    );
  });

  it('holds keys in UTF-16, big-endian', () => {
    const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.array(fc.string({ unit })), (keys) => {
        const { type, elements } = readArray(keyArray(keys));
        expect(type).toBe(bytea);
        expect(elements).toEqual(keys.map((key) => Buffer.from(key, 'utf16le').swap16()));
        expect(elements).toEqual(keys.map(encodeKey));
      }),
    );
  });

  it('holds whole numbers', () => {
    expect(numberArray(['-9223372036854775808', 0, '134000000000000000'])).toBe(
      '{-9223372036854775808,0,134000000000000000}',
    );
    expect(numberArray([])).toBe('{}');
  });
});
