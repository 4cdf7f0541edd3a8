/** The reversed polynomial of CRC-32C. Source: RFC 3720, appendix B.4. */
export const polynomial = 0x82f63b78;

/** `tables[n][byte]` is the effect of a byte that n bytes follow. Eight bytes at a time are twice as fast as one. */
const tables = makeTables();

/** Returns the CRC-32C of the bytes from `start` to `end`. LevelDB uses this checksum in its files. */
export function crc32c(bytes: Buffer, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
  let sum = -1;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const low = view.getInt32(at, true) ^ sum;
    const high = view.getInt32(at + 4, true);
    sum =
      (t7[low & 0xff] ?? 0) ^
      (t6[(low >>> 8) & 0xff] ?? 0) ^
      (t5[(low >>> 16) & 0xff] ?? 0) ^
      (t4[low >>> 24] ?? 0) ^
      (t3[high & 0xff] ?? 0) ^
      (t2[(high >>> 8) & 0xff] ?? 0) ^
      (t1[(high >>> 16) & 0xff] ?? 0) ^
      (t0[high >>> 24] ?? 0);
  }
  for (; at < end; at++) sum = (sum >>> 8) ^ (t0[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~sum >>> 0;
}

/** Returns the checksum that was stored masked: LevelDB rotates it and adds a constant. Source: LevelDB, util/crc32c.h. */
export function unmask(stored: number): number {
  const rotated = (stored - 0xa282ead8) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}

type Table = Int32Array;

function makeTables(): [Table, Table, Table, Table, Table, Table, Table, Table] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ polynomial : sum >>> 1;
    return sum;
  });
  const next = (table: Table) => table.map((sum) => (sum >>> 8) ^ (first[sum & 0xff] ?? 0));
  const [t1, t2, t3] = [next(first), next(next(first)), next(next(next(first)))];
  const t4 = next(t3);
  const t5 = next(t4);
  const t6 = next(t5);
  return [first, t1, t2, t3, t4, t5, t6, next(t6)];
}
