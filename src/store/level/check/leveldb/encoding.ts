/** The reversed polynomial of CRC-32C. Source: RFC 3720, appendix B.4. */
export const polynomial = 0x82f63b78;

/** At `256 * n + byte`: the effect of a byte that n bytes follow. Eight bytes at a time are twice as fast as one. */
const effects = makeEffects();

/** Returns the CRC-32C of the bytes from `start` to `end`. LevelDB uses this checksum in its files. */
export function crc32c(bytes: Buffer, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let sum = -1;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const low = view.getInt32(at, true) ^ sum;
    const high = view.getInt32(at + 4, true);
    sum =
      (effects[0x700 + (low & 0xff)] ?? 0) ^
      (effects[0x600 + ((low >>> 8) & 0xff)] ?? 0) ^
      (effects[0x500 + ((low >>> 16) & 0xff)] ?? 0) ^
      (effects[0x400 + (low >>> 24)] ?? 0) ^
      (effects[0x300 + (high & 0xff)] ?? 0) ^
      (effects[0x200 + ((high >>> 8) & 0xff)] ?? 0) ^
      (effects[0x100 + ((high >>> 16) & 0xff)] ?? 0) ^
      (effects[high >>> 24] ?? 0);
  }
  for (; at < end; at++) sum = (sum >>> 8) ^ (effects[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~sum >>> 0;
}

/** Unmasks a stored checksum: LevelDB rotates it and adds a constant. Source: LevelDB, util/crc32c.h. */
export function unmask(stored: number): number {
  const rotated = (stored - 0xa282ead8) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}

function makeEffects(): Int32Array {
  const made = new Int32Array(8 * 256);
  for (let at = 0; at < made.length; at++) {
    let sum = at < 256 ? at : (made[at - 256] ?? 0);
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ polynomial : sum >>> 1;
    made[at] = sum;
  }
  return made;
}

/** Reads a varint: seven bits per byte, lowest first. Returns it and the position after it; 0 if the bytes end first. */
export function readVarint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0;
  let next = at;
  // Multiplied, not shifted: positions and sizes can exceed 32 bits.
  for (let factor = 1; next < bytes.length; factor *= 128) {
    const byte = bytes[next++] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return [value, next];
  }
  return [0, next];
}
