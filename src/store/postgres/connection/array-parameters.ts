import { writeKey } from '../schema/keys.js';

/** The object ids of element types in PostgreSQL's catalogue. They never change. */
const types = { bytea: 17, text: 25 };

/** Size of the header: number of dimensions, null flag, element type, length, lowest index. Unit: bytes. */
const headerBytes = 20;

/** Size of the length before each element. Unit: bytes. */
const lengthBytes = 4;

const nullLength = -1;

/** Returns a binary `text[]` parameter. The client would send text with escaped quotes, which takes several times as long. */
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

/** Like `textArray`, for pure ASCII, such as the bodies of entities. */
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

/** Returns keys as a binary `bytea[]` parameter, in the form of `encodeKey`. */
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

/** Returns integers, in decimal digits, as a `bigint[]` parameter. */
export function numberArray(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

function start(type: number, elements: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + elements * lengthBytes + bytes);
  // An empty array would have no dimension.
  for (const [at, value] of [1, 1, type, elements, 1].entries()) array.writeInt32BE(value, at * lengthBytes);
  return array;
}
