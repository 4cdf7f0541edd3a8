/** Returns a place as the database has it, decimal digits, in the form of `PageStart.place`: 16 hex digits. */
export function encodePlace(place: string): string {
  return BigInt(place).toString(16).padStart(16, '0');
}

/** The largest number that a `bigint` of the database holds. */
const largest = 2n ** 63n - 1n;

/** Returns a place in the form of `PageStart.place` as the database has it. One that no row can have is after all rows. */
export function decodePlace(place: string): string {
  const number = BigInt(`0x${place}`);
  return String(number < largest ? number : largest);
}
