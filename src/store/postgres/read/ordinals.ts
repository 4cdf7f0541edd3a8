/** Returns an ordinal as the database has it, decimal digits, in the form of `PageStart.place`: 16 hex digits. */
export function encodeOrdinal(ordinal: string): string {
  return BigInt(ordinal).toString(16).padStart(16, '0');
}

/** The largest number that a `bigint` of the database holds. */
const largest = 2n ** 63n - 1n;

/** Returns an ordinal in the form of `PageStart.place` as the database has it. One that no row can have is after all rows. */
export function decodeOrdinal(ordinal: string): string {
  const number = BigInt(`0x${ordinal}`);
  return String(number < largest ? number : largest);
}
