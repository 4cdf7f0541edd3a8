import { randomUUID } from 'node:crypto';

/**
 * The id of a request is a GUID that ends with the number of the request in this process, so that a journal keeps the number
 * alone. The beginning is random, so ids of several processes differ.
 */
const beginning = randomUUID().slice(0, 24);

/** Three hexadecimal digits for each number below 4096. Formatting a number takes several times as long. */
const threeDigits = Array.from({ length: 4096 }, (_, number) => number.toString(16).padStart(3, '0'));

let lastNumber = 0;

/** Returns the number of the next request. */
export function nextRequestNumber(): number {
  lastNumber++;
  return lastNumber;
}

/** Returns the `x-ms-request-id` of the request with a number. It is below 2^48. */
export function writeRequestId(number: number): string {
  const high = Math.floor(number / 2 ** 24);
  return (
    beginning +
    threeDigits[high >>> 12] +
    threeDigits[high & 4095] +
    threeDigits[(number >>> 12) & 4095] +
    threeDigits[number & 4095]
  );
}
