import { writeKey } from '../schema/keys.js';

/** The types of elements, by their numbers in the catalogue of PostgreSQL. They never change. */
const types = { bytea: 17, text: 25 };

/** Bytes before the elements: number of dimensions, whether there is a null, type, length, lowest index. */
const headerBytes = 20;

/** Bytes of the length before each element. */
const lengthBytes = 4;

const nullLength = -1;

/**
 * Returns a parameter of the type `text[]` in PostgreSQL's binary form. The client would send an array as text, with
 * each quote of each element escaped, which takes several times as long to write and to read.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += value === null ? 0 : Buffer.byteLength(value);
  const array = start(types.text, values.length, bytes);
  let at = headerBytes;
  for (const value of values) {
    const length = value === null ? 0 : array.write(value, at + lengthBytes);
    array.writeInt32BE(value === null ? nullLength : length, at);
    at += lengthBytes + length;
  }
  return array;
}

/** Returns the same for texts that are pure ASCII, as the bodies of entities are. */
export function asciiArray(values: readonly (string | null)[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += value?.length ?? 0;
  const array = start(types.text, values.length, bytes);
  let at = headerBytes;
  for (const value of values) {
    at = array.writeInt32BE(value?.length ?? nullLength, at);
    if (value !== null) at += array.write(value, at, 'latin1');
  }
  return array;
}

/** Returns keys as a parameter of the type `bytea[]`, in the form of `encodeKey`. */
export function keyArray(keys: readonly string[]): Buffer {
  let bytes = 0;
  for (const key of keys) bytes += 2 * key.length;
  const array = start(types.bytea, keys.length, bytes);
  let at = headerBytes;
  for (const key of keys) {
    at = array.writeInt32BE(2 * key.length, at);
    at = writeKey(array, key, at);
  }
  return array;
}

/** Returns whole numbers, in decimal digits, as a parameter of the type `bigint[]`. */
export function numberArray(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

function start(type: number, elements: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + elements * lengthBytes + bytes);
  // An array without elements would have no dimension.
  for (const [at, value] of [1, 1, type, elements, 1].entries()) array.writeInt32BE(value, at * lengthBytes);
  return array;
}
