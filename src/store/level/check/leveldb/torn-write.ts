/** A record whose checksum does not match, or whose end is beyond the end of its file. Positions are in bytes. */
export interface FaultyRecord {
  readonly at: number;
  /** Where its header ends. */
  readonly contentAt: number;
  /** Where its header says that it ends. */
  readonly end: number;
  /** The reversed polynomial of its checksum. */
  readonly polynomial: number;
  /** Returns the stored checksum XOR that of the bytes up to a position. */
  readonly mismatch: (end: number) => number;
  /** Whether there is a whole record at a position. */
  readonly isWhole: (bytes: Buffer, at: number) => boolean;
}

/**
 * Whether a record is a torn write rather than damage: the file ends within it, or contains only zeros from one of its bytes on. A power
 * failure leaves zeros at any byte, because a file system may store the new length of a file before its content.
 *
 * A damaged record can look torn if its length was changed, or if it ends in zeros. But then its checksum matches up to the end of
 * the file, a single flipped bit explains the fault, or whole records follow.
 */
export function isTornWrite(bytes: Buffer, record: FaultyRecord): boolean {
  const { at, contentAt, end, mismatch, isWhole } = record;
  const written = writtenBytes(bytes);
  if (written <= contentAt) return true;
  if (end <= bytes.length) return written < end && !hasFlippedBit(bytes, record, written);
  if (mismatch(bytes.length) === 0) return false;
  for (let next = at + 1; next < written; next++) if (isWhole(bytes, next)) return false;
  return !hasFlippedBit(bytes, record, written);
}

/** Returns the length of a file without the zeros at its end. Unit: bytes. */
function writtenBytes(bytes: Buffer): number {
  let written = bytes.length;
  while (written > 0 && bytes[written - 1] === 0) written--;
  return written;
}

/** Whether a record would be whole if one bit before its last zeros were flipped back. */
function hasFlippedBit(
  bytes: Buffer,
  { at, contentAt, end, polynomial, mismatch, isWhole }: FaultyRecord,
  written: number,
): boolean {
  const copy = Buffer.from(bytes);
  for (let bit = 8 * at; bit < 8 * contentAt; bit++) {
    const original = bytes[bit >> 3] ?? 0;
    copy[bit >> 3] = original ^ (1 << (bit & 7));
    if (isWhole(copy, at)) return true;
    copy[bit >> 3] = original;
  }
  if (end > bytes.length) return false;
  const difference = mismatch(end) | 0;
  // How the last bit changes the checksum, then the bit before it, and so on.
  let effect = polynomial | 0;
  for (let bit = 8 * end - 1; bit >= 8 * contentAt; bit--) {
    if (effect === difference && bit < 8 * written) return true;
    effect = effect & 1 ? (effect >>> 1) ^ polynomial : effect >>> 1;
  }
  return false;
}
