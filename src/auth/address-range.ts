import { BlockList } from 'node:net';

/** An IPv4 address as a socket that accepts both IPv4 and IPv6 reports it. */
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns whether the caller's address is the given IPv4 address, or within the given inclusive range `a-b`. Returns
 * false for a malformed range. Source: auth 2.
 */
export function isWithinAddresses(range: string, caller: string): boolean {
  const dash = range.indexOf('-');
  const first = dash < 0 ? range : range.slice(0, dash);
  const last = range.slice(dash + 1);
  const list = new BlockList();
  try {
    list.addRange(first, last);
  } catch {
    // The ends are not two IPv4 addresses in ascending order, so the range contains no address.
    return false;
  }
  return list.check(mapped.exec(caller)?.[1] ?? caller);
}
