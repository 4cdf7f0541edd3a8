/** From 1601, where FILETIME begins, to 1970. Unit: milliseconds. */
const epochMs = 11_644_473_600_000n;

/** Returns a Timestamp as FILETIME, which continuation tokens contain: 100 ns ticks since 1601. */
export function filetimeOf(timestamp: string): bigint {
  const [whole = '', fraction = ''] = timestamp.slice(0, -1).split('.');
  return (BigInt(Date.parse(`${whole}Z`)) + epochMs) * 10_000n + BigInt(fraction.padEnd(7, '0'));
}
