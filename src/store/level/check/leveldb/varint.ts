/**
 * Reads a variable-length integer: seven bits in each byte, the lowest first. Returns it with the position after it.
 * Returns 0 if the bytes end before the number does.
 */
export function readVarint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0;
  let next = at;
  // Multiplied, not shifted, because positions and sizes can have more than 32 bits.
  for (let factor = 1; next < bytes.length; factor *= 128) {
    const byte = bytes[next++] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return [value, next];
  }
  return [0, next];
}
