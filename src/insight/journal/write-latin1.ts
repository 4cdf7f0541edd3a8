/**
 * Writes a text as Latin-1 to a place. Returns all bits of its code units: above 0xff, it is not Latin-1. For short texts this is faster
 * than `Buffer.write`.
 */
export function writeLatin1(bytes: Buffer, at: number, text: string): number {
  let seen = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    seen |= unit;
    bytes[at + index] = unit;
  }
  return seen;
}
