/** Number of digits after the second. Source: cosmos 3. */
const digits = 7;

/** Returns a canonical time with exactly seven digits after the second. Source: cosmos 3. */
export function padInstant(instant: string): string {
  const [whole = '', fraction = ''] = instant.slice(0, -1).split('.');
  return `${whole}.${fraction.padEnd(digits, '0')}Z`;
}

/** From 1601, where FILETIME begins, to 1970. Unit: milliseconds. */
const epochMs = 11_644_473_600_000n;

/** Returns FILETIME in hex digits as a time with seven digits. */
export function instantOf(filetime: string): string {
  const ticks = BigInt(`0x${filetime}`);
  const second = new Date(Number(ticks / 10_000_000n) * 1000 - Number(epochMs)).toISOString().slice(0, -5);
  return `${second}.${String(ticks % 10_000_000n).padStart(digits, '0')}Z`;
}
