/** Reads a number as LevelDB writes it, seven bits to the byte, and where it ends; 0 behind the end of the bytes. */
export function readVarint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0;
  let next = at;
  // Not by shifting: positions and sizes may need more than 32 bits.
  for (let factor = 1; next < bytes.length; factor *= 128) {
    const byte = bytes[next++] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return [value, next];
  }
  return [0, next];
}
