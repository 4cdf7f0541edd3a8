/** Returns a place as the database has it, decimal digits, in the form of `PageStart.place`: 16 hex digits. */
export function encodePlace(place: string): string {
  return BigInt(place).toString(16).padStart(16, '0');
}

/** Returns a place in the form of `PageStart.place` as the database has it. */
export function decodePlace(place: string): string {
  return String(BigInt(`0x${place}`));
}
